import type { AlarmReport } from "../alarms/alarms.js";
import type { Store } from "../store/store.js";
import { type AnswerLinks, openAnswerLinks } from "./answer-links.js";
import { openPhones, type Phones } from "./phones.js";
import { openWebPush, type WebPush } from "./web-push.js";

/** What the dashboard's public origin has: passkeys that answer there, links in messages, and browsers to notify. */
export interface PhoneAccess {
  readonly passkeys: Phones;
  readonly links: AnswerLinks;
  readonly push: WebPush;
}

interface PhoneAccessOptions {
  readonly state: string;
  readonly store: Pick<Store, "fact" | "setFact">;
  /** `publicUrl` of `[hub]`. */
  readonly origin: string | undefined;
  readonly raise: (alarm: AlarmReport) => void;
  readonly note: (message: string) => void;
  readonly onProblem: (text: string) => void;
}

export async function openPhoneAccess({ state, store, origin, raise, note, onProblem }: PhoneAccessOptions): Promise<PhoneAccess> {
  return {
    passkeys: await openPhones({ state, store, origin, raise, note }),
    links: openAnswerLinks({ state, origin, onProblem }),
    push: openWebPush({ state, origin, onProblem }),
  };
}
