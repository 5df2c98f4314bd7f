import type { Bus } from "../bus/bus.js";
import { isSwitchedOff } from "../bus/environment.js";
import type { EnvelopeSource } from "../catalog/envelope.js";
import { HookError } from "../catalog/errors.js";
import { hubFolder } from "../machine/state-folder.js";
import { deepEqual } from "../match/deep-equal.js";
import { thisHost } from "../sinks/envelope-of.js";
import { Forwarder } from "./forwarder.js";
import type { HubConnection, HubConnectionCounters } from "./hub-connection.js";
import { checkForwardOptions, type ForwardOptions } from "./options.js";

/** By bus: a second line would number and send everything twice. The numbers go on when a line is closed and another made. */
const lines = new WeakMap<Bus, BusConnection>();

interface BusConnection {
  seq: number;
  /** The line there is, and what it was made with. */
  open?: { readonly line: HubConnection; readonly made: ForwardOptions } | undefined;
}

/**
 * Sends what a bus does to the hub of this machine, whenever there is one, and lets the hub's guards decide with it. A second call
 * with the same options gives the same line, and closing it closes it for both; other options throw `HL_LINE_TAKEN`.
 *
 * ```ts
 * const line = connectToHub(bus, { source: "my-agent" });
 * ```
 */
export function connectToHub(bus: Bus, options: ForwardOptions = {}): HubConnection {
  const checked = checkForwardOptions(options);
  if (bus.isOff || isSwitchedOff("HOOKLINE_FORWARD")) return offLine;
  const source = sourceOf(bus, checked.source);
  const folder = checked.folder ?? hubFolder();
  const made = { ...withoutGaps(checked), source, folder };
  const numbers: BusConnection = lines.get(bus) ?? { seq: 0 };
  if (numbers.open !== undefined) return sameLine(numbers.open, made);
  const report = createQuietReports(checked.onError ?? ((error) => isNews(error, folder) && bus.report(error)));
  const onClosed = (): void => {
    numbers.open = undefined;
  };
  const line = new Forwarder({ bus, source, folder, numbers, report, onClosed }, checked);
  numbers.open = { line, made };
  lines.set(bus, numbers);
  return line;
}

/** A connection that is being closed cannot be used again. */
function sameLine({ line, made }: NonNullable<BusConnection["open"]>, wanted: ForwardOptions): HubConnection {
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

const counters: HubConnectionCounters = {
  accepted: 0,
  acked: 0,
  pending: 0,
  dropped: {},
  spooled: 0,
  reconnects: 0,
  seq: 0,
  gates: { asked: 0, answered: 0, failed: 0, stray: 0 },
};

/** What `connectToHub` gives where forwarding is switched off. */
const offLine: HubConnection = {
  state: "off",
  counters,
  flush: () => Promise.resolve(true),
  close: () => Promise.resolve(counters),
};

/** Folders of which it was said that there is no hub: one line is enough for a program with many buses. */
const empty = new Set<string>();

function isNews({ code }: HookError, folder: string): boolean {
  return code !== "HL_NO_HUB" || empty.size < empty.add(folder).size;
}

const QUIET_MS = 60_000;

/** Tells a listener of each kind of error at most once a minute, with the number that was kept quiet meanwhile. Never throws. */
function createQuietReports(listen: (error: HookError) => void, now: () => number = () => performance.now()) {
  const kinds = new Map<string, { quietUntil: number; suppressed: number }>();

  return function report(error: HookError): void {
    const kind = kinds.get(error.code);
    if (kind !== undefined && now() < kind.quietUntil) {
      kind.suppressed++;
      return;
    }
    const suppressed = kind?.suppressed ?? 0;
    if (suppressed > 0) error.note = `(${suppressed} more of this kind in between)`;
    kinds.set(error.code, { quietUntil: now() + QUIET_MS, suppressed: 0 });
    try {
      listen(error);
    } catch {
      // The error of a listener that throws cannot be reported anywhere.
    }
  };
}
