import { computed, signal } from "@preact/signals";
import { KEY_STORAGE } from "../../../hookline/src/hub/protocol.js";
import type { MeAnswer } from "../api/answers.js";
import { apiErrorOf } from "../api/api-error.js";
import { hub } from "../api/calls.js";
import { forgetKey } from "../api/page-key.js";
import { say, sayError } from "./notices.js";

/** How the hub sees this browser: not known yet, signed out, or signed in with scopes. */
export const me = signal<MeAnswer | "unknown" | "nobody">("unknown");
/** In this tab, since it was loaded. */
export const wasSignedIn = signal(false);
export const canApprove = computed(() => typeof me.value === "object" && me.value.scopes.includes("approve"));

/** At the public address, in a browser that may answer with a passkey: how many passkeys answer there. */
export const phone = computed(() => (typeof me.value === "object" ? me.value.phone : undefined));

/** The id of the fleet, in a fleet hub's dashboard. */
export const fleetId = computed(() => (typeof me.value === "object" ? me.value.fleet : undefined));
/** The person of the fleet who is signed in. */
export const person = computed(() => (typeof me.value === "object" ? me.value.person : undefined));

/** From then on the cookie is worthless, even if it was copied. The hub ends the streams of every tab that has it. */
export async function signOut(): Promise<void> {
  try {
    await hub.logout();
  } catch (thrown) {
    return sayError(thrown);
  }
  forgetKey();
  await recogniseMe();
}

/** Another tab has signed in or out: its key is written, or gone. */
export function followLogins(): void {
  window.addEventListener("storage", ({ key }) => {
    if (key === KEY_STORAGE || key === null) void recogniseMe();
  });
}

/** Says that a link of fewer rights was opened, and changed nothing. */
export function greetKept(): void {
  if (window.location.hash !== "#kept") return;
  window.history.replaceState(null, "", `${window.location.pathname}${window.location.search}`);
  say("That link is view-only. This browser can already approve, so its session was kept.");
}

/** Asks the hub who we are. A hub that does not answer changes nothing. */
export async function recogniseMe(): Promise<void> {
  try {
    me.value = await hub.me();
    wasSignedIn.value = true;
  } catch (thrown) {
    if (apiErrorOf(thrown).status === 401) me.value = "nobody";
  }
}
