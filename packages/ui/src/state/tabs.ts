import { effect, signal } from "@preact/signals";
import { pauseConnection, resumeConnection } from "./connection.js";

/** While all tabs are hidden, one of them keeps watching for the others. Without locks each is on its own. */
export const isWatchingTab = signal(false);

const KEEPER = "hookline-watch";
const TAB = "hookline-tab";
const SEEN = "hookline-seen";

/** Browsers hand out locks only on this machine's own address, and over https. */
const locks = navigator.locks as LockManager | undefined;

export function joinTabs(): void {
  if (locks === undefined) {
    isWatchingTab.value = true;
    return;
  }
  void locks.request(KEEPER, () => {
    isWatchingTab.value = true;
    return forever();
  });
  void locks.request(TAB, { mode: "shared" }, forever);
  holdWhileSeen(locks);
}

async function countTabs(): Promise<number> {
  return (await heldLocks()).filter(({ name }) => name === TAB).length;
}

/** Whether one of the tabs is visible. */
export async function isAnySeen(): Promise<boolean> {
  return !document.hidden || (await heldLocks()).some(({ name }) => name === SEEN);
}

async function heldLocks(): Promise<readonly LockInfo[]> {
  return (await locks?.query())?.held ?? [];
}

function holdWhileSeen(from: LockManager): void {
  let release = (): void => {};
  const hold = (): Promise<void> =>
    new Promise((resolve) => {
      release = resolve;
    });
  const follow = (): void => {
    release();
    if (!document.hidden) void from.request(SEEN, { mode: "shared" }, () => (document.hidden ? undefined : hold()));
  };
  document.addEventListener("visibilitychange", follow);
  follow();
}

/** Until the tab is closed. */
function forever(): Promise<never> {
  return new Promise(() => {});
}

const DISCONNECT_AFTER_MS = 30_000;
/** With more tabs than this the next one may find no connection left: a browser opens six to a host. */
const MANY_TABS = 3;

let timer: ReturnType<typeof setTimeout> | undefined;

/** A hidden tab closes its stream, unless it is the one that watches for all tabs. Seen again, it goes on where it was. */
export function disconnectHiddenTab(): void {
  document.addEventListener("visibilitychange", follow);
  effect(() => {
    if (isWatchingTab.value) resumeConnection();
  });
  follow();
}

function follow(): void {
  clearTimeout(timer);
  if (!document.hidden) return resumeConnection();
  timer = setTimeout(disconnectIfHidden, DISCONNECT_AFTER_MS);
  void countTabs().then((count) => {
    if (count > MANY_TABS) disconnectIfHidden();
  });
}

function disconnectIfHidden(): void {
  if (document.hidden && !isWatchingTab.value) pauseConnection();
}
