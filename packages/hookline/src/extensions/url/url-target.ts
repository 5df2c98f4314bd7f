import { lookup as lookupByDns } from "node:dns";
import type { LookupFunction } from "node:net";
import { HookError } from "@hookline/core";
import { guardLookup, parseTarget, type Target } from "@hookline/core/internal/sinks";
import type { UrlSpec } from "./url-spec.js";

/** Where the questions go, and a lookup that gives only addresses which may be dialled. */
export interface UrlTarget extends Pick<Target, "url" | "label" | "secrets"> {
  readonly lookup: LookupFunction;
}

/** Throws `HL_URL_TARGET`, and does not quote the URL. */
export function parseUrlTarget({ name, url: text, lookup = lookupByDns }: Pick<UrlSpec, "name" | "url" | "lookup">): UrlTarget {
  const bad = (wants: string) => targetError(`The url of the hook "${name}" must be ${wants}.`);
  const refused = (why: string) =>
    targetError(`The url of the hook "${name}" must not be asked: ${why}. Give an https URL of another host.`);
  const plain = () => bad("https: plain http is for 127.0.0.1, [::1] and localhost only");
  const { url, label, secrets, policy } = parseTarget(text, { allowPrivate: true, allowHttp: false }, { bad, refused, plain });
  return { url, label, secrets, lookup: guardLookup(lookup, policy, refusedName) };
}

function refusedName(hostname: string, refusal: string | undefined): HookError {
  if (refusal === undefined)
    return new HookError("HL_URL_UNREACHABLE", `"${hostname}" has no address. Check the URL.`, { failure: "spawn_error" });
  return targetError(`"${hostname}" must not be dialled: ${refusal}. Give a URL whose name leads elsewhere.`);
}

function targetError(message: string): HookError {
  return new HookError("HL_URL_TARGET", message, { failure: "spawn_error" });
}
