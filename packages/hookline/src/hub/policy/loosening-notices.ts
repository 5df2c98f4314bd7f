import type { AcceptanceOptions } from "./acceptance.js";
import type { Difference } from "./policy-differences.js";

/** How long an edit in plain mode may be accepted by the command that made it, before it is reported. */
const NOTICE_MS = 2_000;
/** Changes that were found so close to each other are one change of a file. */
const TOGETHER_MS = 250;
/** So many changes of a file are named; of the others, only the number. */
const MAX_NAMED = 8;

/** Tells what changed without acceptance: one alarm for all changes of a file. */
export interface LooseningNotices {
  add(difference: Difference): void;
  /** An operator's own command accepts what it has written a moment later. */
  cancel(id: string): void;
  close(): void;
}

export function createNotices(alarm: AcceptanceOptions["alarm"], mode: AcceptanceOptions["mode"]): LooseningNotices {
  const waiting = new Map<string, { readonly difference: Difference; readonly due: number }>();
  let timer: NodeJS.Timeout | undefined;

  function arm(): void {
    const [first] = [...waiting.values()].map(({ due }) => due).sort((a, b) => a - b);
    if (first !== undefined) timer ??= setTimeout(tell, Math.max(1, Math.ceil(first - performance.now()))).unref();
  }

  function tell(): void {
    timer = undefined;
    const due = [...waiting.values()].filter((one) => one.due <= performance.now() + TOGETHER_MS).map(({ difference }) => difference);
    for (const { change } of due) waiting.delete(change.id);
    for (const path of new Set(due.map((difference) => difference.path)))
      alarm({
        // In plain mode, it is most likely the owner's own edit of the file.
        kind: mode() === "plain" ? "changed" : "loosened",
        text: textOf(
          due.filter((difference) => difference.path === path),
          mode() === "plain" ? "" : " without acceptance",
        ),
        ...(path !== undefined && { path }),
      });
    arm();
  }

  return {
    add(difference) {
      const { id } = difference.change;
      // Further changes do not delay the alarm.
      waiting.set(id, { difference, due: waiting.get(id)?.due ?? performance.now() + NOTICE_MS });
      arm();
    },
    cancel: (id) => void waiting.delete(id),
    close: () => clearTimeout(timer),
  };
}

function textOf(changes: readonly Difference[], how: string): string {
  const said = changes.slice(0, MAX_NAMED).map(({ change }) => change.what);
  const more = changes.length - said.length;
  const count = changes.length === 1 ? "" : ` in ${changes.length} places`;
  return `The policy changed${how}${count}: ${said.join(" ")}${more === 0 ? "" : ` And ${more} more.`}`;
}
