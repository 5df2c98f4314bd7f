import { computed, effect, signal } from "@preact/signals";
import type { PendingApproval } from "../api/answers.js";
import { hub } from "../api/calls.js";
import { me } from "./access.js";
import { approvalsChanged, connection } from "./connection.js";

export type Approval = PendingApproval;

/** Calls that wait for a person, the oldest first; undefined until the hub has said. */
export const approvals = signal<readonly Approval[] | undefined>(undefined);
/** How many calls on the hosts of a fleet wait; 0 in any other hub. */
export const fleetWaiting = signal(0);
export const waitingCount = computed(() => (approvals.value?.length ?? 0) + fleetWaiting.value);

const POLL_MS = 5_000;
let isAsking = false;
let isStale = false;

/** Asks again, and once more if something changed meanwhile. */
export async function refreshApprovals(): Promise<void> {
  isStale = true;
  if (isAsking) return;
  isAsking = true;
  while (isStale) {
    isStale = false;
    await load();
  }
  isAsking = false;
}

async function load(): Promise<void> {
  try {
    approvals.value = kept(approvals.peek(), await allPages());
  } catch {
    // The connection says that the hub is away; what was known stays.
  }
}

async function allPages(): Promise<readonly Approval[]> {
  const found: Approval[] = [];
  for (let cursor: number | undefined; ; ) {
    const page = await hub.approvals(cursor);
    found.push(...page.approvals);
    if (page.cursor === undefined) return found;
    cursor = page.cursor;
  }
}

/** What is known stays the very same, so that nothing is drawn, or looked through, again. */
function kept(before: readonly Approval[] | undefined, list: readonly Approval[]): readonly Approval[] {
  if (before === undefined) return list;
  const known = new Map(before.map((approval) => [approval.id, approval]));
  const found = list.map((approval) => {
    const old = known.get(approval.id);
    return old !== undefined && old.hash === approval.hash ? old : approval;
  });
  return found.length === before.length && found.every((approval, index) => approval === before[index]) ? before : found;
}

/** The stream says when the list changes; asking now and then covers a stream that is being opened again. */
export function followApprovals(): void {
  effect(() => {
    if (me.value === "nobody") approvals.value = undefined;
    else if (approvalsChanged.value >= 0) void refreshApprovals();
  });
  setInterval(() => connection.value === "live" && void refreshApprovals(), POLL_MS);
}
