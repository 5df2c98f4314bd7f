import { lookup as lookupByDns } from "node:dns";
import type { LookupFunction } from "node:net";
import { HookError } from "@hookline/core";
import { guardLookup, parseTarget, type Target } from "@hookline/core/internal/sinks";
import type { DialectName } from "../../config/config.js";
import type { HookSpec } from "../handler-source.js";

export interface UrlHeaders {
  readonly [name: string]: string;
}

/** A server that is asked about each event. */
export interface UrlSpec {
  readonly name: string;
  /**
   * Must be https; plain http is allowed to loopback only. It contains no user and password, and comes from the user's own configuration,
   * never from an event.
   */
  readonly url: string;
  /** Header values. A function is called for each event, so that a file or variable is read again. */
  readonly headers?: UrlHeaders | (() => UrlHeaders | Promise<UrlHeaders>);
  /** Default `own`. */
  readonly dialect?: DialectName;
  readonly hooks: readonly HookSpec[];
  /** For hooks without a limit of their own; 0 means no limit. */
  readonly timeoutMs?: number;
  /** How many requests may be in progress at the same time. Default 64. */
  readonly maxRunning?: number;
  /** How many may wait for a slot. Default 256. */
  readonly maxWaiting?: number;
  readonly description?: string;
  /** The file that contains it. */
  readonly path?: string;
  /** Replaces the system's name resolution; its answers are checked in the same way. */
  readonly lookup?: LookupFunction;
}

/** The target of the requests, and a lookup that returns only permitted addresses. */
export interface UrlTarget extends Pick<Target, "url" | "label" | "secrets"> {
  readonly lookup: LookupFunction;
}

interface NamedTarget extends Pick<UrlSpec, "url" | "lookup"> {
  /** In messages: `The url of the hook "guard"`. */
  readonly what: string;
}

/** Throws `HL_URL_TARGET`, and does not quote the URL. */
export function parseUrlTarget({ what, url: text, lookup = lookupByDns }: NamedTarget): UrlTarget {
  const bad = (wants: string) => targetError(`${what} must be ${wants}.`);
  const refused = (why: string) => targetError(`${what} must not be called: ${why}.`, "Give an https URL of another host.");
  const plain = () => bad("https: plain http is for 127.0.0.1, [::1] and localhost only");
  const { url, label, secrets, policy } = parseTarget(text, { allowPrivate: true, allowHttp: false }, { bad, refused, plain });
  return { url, label, secrets, lookup: guardLookup(lookup, policy, refusedName) };
}

function refusedName(hostname: string, refusal: string | undefined): HookError {
  if (refusal === undefined)
    return new HookError("HL_URL_UNREACHABLE", `"${hostname}" has no address.`, { fix: "Check the URL.", failure: "spawn_error" });
  return targetError(`"${hostname}" must not be called: ${refusal}.`, "Give a URL of another host.");
}

function targetError(message: string, fix?: string): HookError {
  return new HookError("HL_URL_TARGET", message, { fix, failure: "spawn_error" });
}
