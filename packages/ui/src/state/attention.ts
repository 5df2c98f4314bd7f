import { effect } from "@preact/signals";
import { summaryOf } from "../text/event-summary.js";
import { inert } from "../text/inert.js";
import { type Approval, approvals, waitingCount } from "./approvals.js";
import { goTo, hrefOf } from "./location.js";
import { wantsNotices } from "./settings.js";

const MAX_LENGTH = 160;

/** Says that somebody waits, also to who looks elsewhere: in the title, and by the browser if it may. */
export function drawAttention(): void {
  let known: ReadonlySet<string> | undefined;
  effect(() => {
    document.title = waitingCount.value > 0 ? `(${waitingCount.value}) Hookline` : "Hookline";
  });
  effect(() => {
    const list = approvals.value;
    if (list === undefined) return;
    const fresh = known === undefined ? [] : list.filter(({ id }) => known?.has(id) === false);
    known = new Set(list.map(({ id }) => id));
    if (document.hidden && wantsNotices.peek() === "on") for (const approval of fresh) notify(approval);
  });
}

function notify({ id, by, reason, payload }: Approval): void {
  if (!("Notification" in window) || Notification.permission !== "granted") return;
  const body = inert(`${summaryOf(payload)}\n${reason ?? ""}`).slice(0, MAX_LENGTH);
  const shown = new Notification(`${inert(by)} asks`, { body, tag: id });
  shown.onclick = () => {
    window.focus();
    goTo(hrefOf("approvals", { id }));
    shown.close();
  };
}

/** Browsers ask the person only when a person has asked them to. */
export async function askForNotices(): Promise<boolean> {
  if (!("Notification" in window)) return false;
  wantsNotices.value = (await Notification.requestPermission()) === "granted" ? "on" : "off";
  return wantsNotices.value === "on";
}
