import { effect } from "@preact/signals";
import { hub } from "../api/calls.js";
import { me } from "./access.js";
import { goTo, hrefOf } from "./location.js";
import { sayError } from "./notices.js";

const STORAGE = "hookline-answer-link";

/**
 * Opens the call that a link of a notification is for: `#to.<token>`. A browser that is not signed in keeps the token until it is. Nothing is
 * sent before the page runs, so a program that only fetches the link does not use it up.
 */
export function followAnswerLink(): void {
  const [, token] = /^#to\.([\w.-]{20,500})$/.exec(window.location.hash) ?? [];
  if (token !== undefined) {
    window.sessionStorage.setItem(STORAGE, token);
    window.history.replaceState(null, "", hrefOf("approvals"));
    goTo(hrefOf("approvals"));
  }
  // Another link was opened in the same tab.
  window.addEventListener("hashchange", () => window.location.hash.startsWith("#to.") && window.location.reload());
  effect(() => {
    if (typeof me.value === "object") void openKept();
  });
}

async function openKept(): Promise<void> {
  const token = window.sessionStorage.getItem(STORAGE);
  if (token === null) return;
  window.sessionStorage.removeItem(STORAGE);
  try {
    const { id } = await hub.openAnswerLink(token);
    goTo(hrefOf("approvals", { id }));
  } catch (thrown) {
    sayError(thrown);
  }
}
