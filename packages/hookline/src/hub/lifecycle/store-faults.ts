import type { Alarms } from "../alarms/alarms.js";
import type { StoreFault } from "../store/store-files.js";

/** Faults of the store's files: in the log at once, and as alarms as soon as alarms can be raised. */
export function createStoreFaults(onProblem: (text: string) => void) {
  const early: StoreFault[] = [];
  let raise: Alarms["raise"] | undefined;

  function report(fault: StoreFault): void {
    onProblem(textOf(fault));
    if (raise === undefined) early.push(fault);
    else alarm(fault, raise);
  }

  return {
    report,
    useAlarms(alarms: Pick<Alarms, "raise">): void {
      raise = alarms.raise;
      for (const fault of early.splice(0)) alarm(fault, raise);
    },
  };
}

function alarm(fault: StoreFault, raise: Alarms["raise"]): void {
  raise({ kind: "tampered", text: textOf(fault), ...(fault.kind === "damaged" && { fix: { run: "hookline doctor --repair" } }) });
}

function textOf({ kind, text }: StoreFault): string {
  const next =
    kind === "moved"
      ? "The hub writes the store again from the file that it has open, and accepts no events until then."
      : "The hub keeps deciding, but accepts no events.";
  return `The store's file changed: ${text}. ${next}`;
}
