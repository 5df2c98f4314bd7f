import type { Bus } from "../bus/bus.js";
import { isSwitchedOff } from "../bus/environment.js";
import type { EnvelopeSource } from "../catalog/envelope.js";
import { HookError } from "../catalog/errors.js";
import { stateFolder } from "../machine/state-folder.js";
import { deepEqual } from "../match/deep-equal.js";
import { thisHost } from "../sinks/envelope-of.js";
import { Forwarder } from "./forwarder.js";
import type { HubLine } from "./line.js";
import { offLine } from "./off-line.js";
import { checkForwardOptions, type ForwardOptions } from "./options.js";
import { createQuietReports } from "./quiet-reports.js";

/** By bus: a second line would number and send everything twice. The numbers go on when a line is closed and another made. */
const lines = new WeakMap<Bus, BusLine>();

interface BusLine {
  seq: number;
  /** The line there is, and what it was made with. */
  open?: { readonly line: HubLine; readonly made: ForwardOptions } | undefined;
}

/**
 * Sends what a bus does to the hub of this machine, whenever there is one, and lets the hub's guards decide with it. A second call
 * with the same options gives the same line, and closing it closes it for both; other options throw `HL_LINE_TAKEN`.
 *
 * ```ts
 * const line = connectToHub(bus, { source: "my-agent" });
 * ```
 */
export function connectToHub(bus: Bus, options: ForwardOptions = {}): HubLine {
  const checked = checkForwardOptions(options);
  if (bus.isOff || isSwitchedOff("HOOKLINE_FORWARD")) return offLine;
  const source = sourceOf(bus, checked.source);
  const folder = checked.folder ?? stateFolder();
  const made = { ...withoutGaps(checked), source, folder };
  const numbers: BusLine = lines.get(bus) ?? { seq: 0 };
  if (numbers.open !== undefined) return sameLine(numbers.open, made);
  const report = createQuietReports(checked.onError ?? ((error) => bus.report(error)));
  const onClosed = (): void => {
    numbers.open = undefined;
  };
  const line = new Forwarder({ bus, source, folder, numbers, report, onClosed }, checked);
  numbers.open = { line, made };
  lines.set(bus, numbers);
  return line;
}

/** A line that is on its way down is nobody's to use. */
function sameLine({ line, made }: NonNullable<BusLine["open"]>, wanted: ForwardOptions): HubLine {
  if (line.state !== "closed" && deepEqual(made, wanted)) return line;
  const why =
    line.state === "closed"
      ? "and is being closed. Await its close() first"
      : "with other options. Use the line you have, or close it first";
  throw new HookError("HL_LINE_TAKEN", `This bus is connected to the hub already, ${why}.`);
}

/** An option that is `undefined` was not given. */
function withoutGaps(options: ForwardOptions): ForwardOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
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
