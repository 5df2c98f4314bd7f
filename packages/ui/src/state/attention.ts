import { effect, signal } from "@preact/signals";
import { summaryOf } from "../text/event-summary.js";
import { inert } from "../text/inert.js";
import { type Approval, approvals, waitingCount } from "./approvals.js";
import { connection } from "./connection.js";
import { goTo, hrefOf } from "./location.js";
import { wantsNotices } from "./settings.js";
import { isAnySeen, isWatchingTab } from "./tabs.js";

const MAX_LENGTH = 160;

/** What the tab that watches for all tells the others, for their titles. */
const told = signal(0);

/** Tells the user that a call waits, even in another tab: in the title, and with a notification if the browser allows it. */
export function drawAttention(): void {
  let known: ReadonlySet<string> | undefined;
  shareCount();
  effect(() => {
    const count = connection.value === "resting" ? told.value : waitingCount.value;
    document.title = count > 0 ? `(${count}) Hookline` : "Hookline";
  });
  effect(() => {
    const list = approvals.value;
    if (list === undefined) return;
    const fresh = known === undefined ? [] : list.filter(({ id }) => known?.has(id) === false);
    known = new Set(list.map(({ id }) => id));
    // One of several tabs notifies, and none while the user looks at one of them.
    if (fresh.length > 0 && isWatchingTab.peek() && wantsNotices.peek() === "on") void notifyUnlessSeen(fresh);
  });
}

async function notifyUnlessSeen(fresh: readonly Approval[]): Promise<void> {
  if (await isAnySeen()) return;
  for (const approval of fresh) notify(approval);
}

function shareCount(): void {
  const channel = new BroadcastChannel("hookline-waiting");
  channel.onmessage = ({ data }) => {
    if (typeof data === "number") told.value = data;
  };
  effect(() => {
    if (isWatchingTab.value && approvals.value !== undefined) channel.postMessage(waitingCount.value);
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
