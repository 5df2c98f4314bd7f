import {
  callback,
  checkOptions,
  filePath,
  flag,
  milliseconds,
  oneOf,
  positive,
  positiveCount,
  type Rule,
  type Rules,
  text,
} from "../bus/option-rules.js";
import type { FailureMode } from "../bus/types.js";
import { HookError } from "../catalog/errors.js";
import { resolveEvent } from "../catalog/names.js";
import type { RedactOptions } from "../redact/redact.js";

/** The source of the events, where it differs from the bus's own. */
export interface ForwardSource {
  readonly app?: string;
  readonly host?: string;
  readonly pid?: number;
}

/** How a process asks the hub's gates. */
export interface RemoteGateOptions {
  /** Gates and transforms that are asked about from the start, also before a hub was seen. */
  readonly events?: readonly string[];
  /** How long the hub has to answer, instead of what it announces. 5,000 for `events`. */
  readonly timeoutMs?: number;
  /** What a missing answer means, instead of what the hub announces. `closed` for `events`. */
  readonly onFailure?: FailureMode;
}

/** Options of `connectToHub`. */
export interface ForwardOptions extends RedactOptions {
  /** Another name than the bus has, or name, host and process. */
  readonly source?: string | ForwardSource;
  /** Writes each event to the spool before its dispatch returns, so that not even a kill loses it. Default false. */
  readonly durable?: boolean;
  /** How much may wait, what is on its way included. Default 10,000 events and 16 MiB. */
  readonly queue?: { readonly maxCount?: number; readonly maxBytes?: number };
  /** Which events: names in any spelling and patterns such as `tool:*`. Default all. */
  readonly events?: string | readonly string[];
  /** Of the payload's JSON. What is longer is cut and marked. Default 256 KiB. */
  readonly maxPayloadBytes?: number;
  /** Which of the hub's guards and transforms are asked; `false` for none. */
  readonly gates?: false | RemoteGateOptions;
  /** Until a hub has been there, every gate denies and every value of a transform is withheld. Default false: they pass. */
  readonly required?: boolean;
  /** Also writes what is pending before SIGTERM, SIGINT and SIGHUP end the process. Default true. */
  readonly flushOnSignals?: boolean;
  /** The folder with the hub's `hub.json`. Default: that of the managed hub, if there is one, else the user's state folder. */
  readonly folder?: string;
  /** How large the spool may grow. Default 256 MiB. */
  readonly maxSpoolBytes?: number;
  /** Hears of a hub that cannot be reached or trusted, and of a spool that fails. Default: the bus's own. */
  readonly onError?: (error: HookError) => void;
}

/** The options, read once. Throws `HL_UNKNOWN_OPTION` or `HL_BAD_OPTION`. */
export function checkForwardOptions(given: ForwardOptions): ForwardOptions {
  const options = checkOptions("connectToHub", given, rules);
  checkOptions("connectToHub queue", options.queue ?? {}, { maxCount: positiveCount, maxBytes: positive });
  if (typeof options.source === "object") checkOptions("connectToHub source", options.source, sourceRules);
  if (typeof options.gates === "object") checkGates(options.gates);
  if (options.required === true && options.gates === false)
    throw new HookError("HL_BAD_OPTION", 'connectToHub: "required" denies until a hub can be asked, but "gates" is false, so it never is.');
  return options;
}

function checkGates(gates: RemoteGateOptions): void {
  const { events = [] } = checkOptions("connectToHub gates", gates, gateRules);
  for (const event of events)
    if (resolveEvent(event).spec.kind === "observe")
      throw new HookError(
        "HL_BAD_OPTION",
        `connectToHub gates: "${event}" is neither a gate nor a transform, so the hub cannot be asked about it.`,
        {
          event,
        },
      );
}

const group: Rule = { accepts: (value) => typeof value === "object" && value !== null, wants: "an object" };
const names: Rule = {
  accepts: (value) => Array.isArray(value) && value.every((name) => typeof name === "string"),
  wants: "a list of names",
};
const sourceRules: Rules<ForwardSource> = {
  app: text,
  host: { accepts: (value) => typeof value === "string", wants: "text" },
  pid: { accepts: (value) => Number.isSafeInteger(value) && (value as number) >= 0, wants: "the number of a process" },
};
const gateRules: Rules<RemoteGateOptions> = {
  events: names,
  timeoutMs: { accepts: (value) => milliseconds.accepts(value) && value !== 0, wants: "a number of milliseconds above 0" },
  onFailure: oneOf("open", "closed", "abort"),
};

// A line of 4 MiB must hold the payload and what stands around it.
const MAX_PAYLOAD_BYTES = 3 * 1024 * 1024;

const rules: Rules<ForwardOptions> = {
  source: { accepts: (value) => text.accepts(value) || group.accepts(value), wants: "a name, or an object with app, host and pid" },
  durable: flag,
  queue: group,
  events: { accepts: (value) => typeof value === "string" || Array.isArray(value), wants: "a name, a pattern, or a list of them" },
  redact: { accepts: (value) => Array.isArray(value) || typeof value === "function", wants: "a list of paths, or a function" },
  redactSecrets: flag,
  maxPayloadBytes: {
    accepts: (value) => positive.accepts(value) && (value as number) <= MAX_PAYLOAD_BYTES,
    wants: `a number above 0 and at most ${MAX_PAYLOAD_BYTES}`,
  },
  gates: { accepts: (value) => value === false || group.accepts(value), wants: "false or an object" },
  required: flag,
  flushOnSignals: flag,
  folder: { ...filePath, wants: "the path of a folder" },
  maxSpoolBytes: positive,
  onError: callback,
};
