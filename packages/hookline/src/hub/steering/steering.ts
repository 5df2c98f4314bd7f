import type { SessionEffects } from "../effects/session-effects.js";
import { newId } from "../ingest/new-id.js";
import type { SteerAnswer, SteerRecord } from "../protocol.js";
import { findLiveSession, type LiveSessionOptions } from "./live-session.js";
import { checkSteer, type Steer, tellingOfSteer } from "./operator-words.js";

const EVENT = "session:steer";

export interface Steering {
  /** Puts an operator's words into a session. They are recorded before they are delivered. Rejects as `findLiveSession` and `checkSteer` do. */
  steer(session: string, steer: Steer): Promise<SteerAnswer>;
}

interface SteeringOptions extends LiveSessionOptions {
  readonly effects: Pick<SessionEffects, "reaches" | "leave">;
  readonly record: (event: string, payload: { readonly session: { readonly id: string } }) => Promise<void>;
  readonly tell: (event: string, payload: object) => void;
}

/** Steering from outside: an operator's messages and reminders, for sessions that go on. */
export function createSteering({ record, tell, ...options }: SteeringOptions): Steering {
  return {
    async steer(session, given) {
      const checked = checkSteer(given);
      const to = await findLiveSession(session, options);
      const id = newId();
      const agent = to.source.app;
      const { interrupt, ...said } = checked;
      const facts = { session: { id: session }, id, ...said, ...(interrupt === true && { interrupt }), agent };
      const payload = (status: SteerRecord["status"], reason?: string) =>
        ({ ...facts, status, ...(reason !== undefined && { reason }) }) satisfies SteerRecord;
      await record(EVENT, payload("waiting"));
      const status = options.effects.leave(to, tellingOfSteer(checked), {
        onDelivered: () => tell(EVENT, payload("delivered")),
        onDropped: (reason) => tell(EVENT, payload("dropped", reason)),
      });
      if (status === "sent") tell(EVENT, payload(status));
      return { id, status, agent };
    },
  };
}
