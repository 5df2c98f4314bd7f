import { signal } from "@preact/signals";

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

export async function countTabs(): Promise<number> {
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
