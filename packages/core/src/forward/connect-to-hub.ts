import type { Bus } from "../bus/bus.js";
import { isSwitchedOff } from "../bus/environment.js";
import type { EnvelopeSource } from "../catalog/envelope.js";
import { HookError } from "../catalog/errors.js";
import { thisHost } from "../sinks/envelope-of.js";
import { Forwarder } from "./forwarder.js";
import type { HubLine } from "./line.js";
import { offLine } from "./off-line.js";
import { checkForwardOptions, type ForwardOptions } from "./options.js";
import { createQuietReports } from "./quiet-reports.js";
import { stateFolder } from "./state-folder.js";

/** By bus: a second line would number and send everything twice. The numbers go on when a line is closed and another made. */
const lines = new WeakMap<Bus, { seq: number; isTaken: boolean }>();

/**
 * Sends what a bus does to the hub of this machine, whenever there is one, and lets the hub's guards decide with it.
 *
 * ```ts
 * const line = connectToHub(bus, { source: "my-agent" });
 * ```
 */
export function connectToHub(bus: Bus, options: ForwardOptions = {}): HubLine {
  const checked = checkForwardOptions(options);
  if (bus.isOff || isSwitchedOff("HOOKLINE_FORWARD")) return offLine;
  const numbers = lines.get(bus) ?? { seq: 0, isTaken: false };
  if (numbers.isTaken)
    throw new HookError("HL_LINE_TAKEN", "This bus is connected to the hub already. Use the line you have, or close it first.");
  const line = new Forwarder(
    {
      bus,
      source: sourceOf(bus, checked.source),
      folder: checked.folder ?? stateFolder(),
      numbers,
      report: createQuietReports(checked.onError ?? ((error) => bus.report(error))),
      onClosed: () => {
        numbers.isTaken = false;
      },
    },
    checked,
  );
  numbers.isTaken = true;
  lines.set(bus, numbers);
  return line;
}

function sourceOf(bus: Bus, given: ForwardOptions["source"]): EnvelopeSource {
  const {
    app,
    host = thisHost(),
    pid = process.pid,
    instance = "",
  } = { ...bus.source, ...(typeof given === "string" ? { app: given } : given) };
  return { app, host, pid, instance };
}
