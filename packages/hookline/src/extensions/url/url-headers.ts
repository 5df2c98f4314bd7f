import { validateHeaderName, validateHeaderValue } from "node:http";
import { reasonOf, unsendable } from "./url-errors.js";
import type { UrlHeaders, UrlSpec } from "./url-spec.js";

/** The headers for one request. Rejects with `HL_URL_REQUEST`, which quotes no value. */
export async function readUrlHeaders(headers: UrlSpec["headers"] = {}): Promise<UrlHeaders> {
  if (typeof headers !== "function") return headers;
  let given: UrlHeaders;
  try {
    given = await headers();
  } catch (error) {
    throw unsendable(`Its headers cannot be had: ${reasonOf(error)}`);
  }
  checkUrlHeaders(given);
  return given;
}

/** Throws `HL_URL_REQUEST` for one that cannot or must not be sent. */
export function checkUrlHeaders(headers: UrlHeaders): void {
  for (const [name, value] of Object.entries(headers)) {
    const fault = faultOf(name, value);
    if (fault !== undefined) throw unsendable(`Its header ${JSON.stringify(name.slice(0, 60))} ${fault}`);
  }
}

// Framing is ours; a second opinion on it is how requests are smuggled.
const OWN_HEADERS = /^(host|content-(type|length|encoding)|transfer-encoding|connection|keep-alive|upgrade|expect|te|trailer)$/i;

function faultOf(name: string, value: string): string | undefined {
  if (OWN_HEADERS.test(name)) return "is set by the hook itself";
  try {
    validateHeaderName(name);
  } catch {
    return "has a name that is none";
  }
  try {
    validateHeaderValue(name, value);
    return typeof value === "string" ? undefined : "has a value that is no text";
  } catch {
    return "has no value, or one with a line break or another character that cannot be sent";
  }
}
