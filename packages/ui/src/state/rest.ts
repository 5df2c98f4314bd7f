import { effect } from "@preact/signals";
import { restConnection, wakeConnection } from "./connection.js";
import { countTabs, isWatchingTab } from "./tabs.js";

const REST_AFTER_MS = 30_000;
/** With more tabs than this the next one may find no connection left: a browser opens six to a host. */
const MANY_TABS = 3;

let timer: ReturnType<typeof setTimeout> | undefined;

/** A hidden tab closes its stream, unless it is the one that watches for all tabs. Seen again, it goes on where it was. */
export function restWhileUnseen(): void {
  document.addEventListener("visibilitychange", follow);
  effect(() => {
    if (isWatchingTab.value) wakeConnection();
  });
  follow();
}

function follow(): void {
  clearTimeout(timer);
  if (!document.hidden) return wakeConnection();
  timer = setTimeout(restIfUnseen, REST_AFTER_MS);
  void countTabs().then((count) => {
    if (count > MANY_TABS) restIfUnseen();
  });
}

function restIfUnseen(): void {
  if (document.hidden && !isWatchingTab.value) restConnection();
}
