import { HookError } from "../../catalog/errors.js";
import { type AddressPolicy, kindOf, refusalOf } from "./address.js";

/** Where a webhook goes, checked as far as it can be without resolving the name. */
export interface Target {
  readonly url: URL;
  /** The URL for people: no query, and no part of the path that looks like a token. */
  readonly label: string;
  readonly policy: AddressPolicy;
  /** What of the URL must not be repeated to anyone. */
  readonly secrets: readonly string[];
}

export interface TargetRules {
  readonly allowPrivate: boolean;
  readonly allowHttp: boolean;
}

/** The errors, in the words of the option that holds the URL. */
export interface TargetErrors {
  /** It is not a web address; the rest of "must be". */
  bad(wants: string): HookError;
  /** It must not be dialled. */
  refused(why: string): HookError;
  /** Plain http that would leave the machine. */
  plain(): HookError;
}

/** By default throws `HL_BAD_OPTION` for text that is not a web address, `HL_WEBHOOK_TARGET` for one that must not be dialled. Quotes neither. */
export function parseTarget(text: string, { allowPrivate, allowHttp }: TargetRules, errors: TargetErrors = ofSink): Target {
  const url = parseUrl(text, errors);
  // The parser has turned decimal, octal and hexadecimal spellings of IPv4 into the usual one.
  const host = url.hostname.replace(/^\[|\]$|\.+$/g, "").toLowerCase();
  const isPlain = url.protocol === "http:";
  const isLocal = kindOf(host) === "loopback" || host === "localhost" || host.endsWith(".localhost");
  const policy = { allowPrivate, isLoopbackOnly: isPlain && !allowHttp };
  if (policy.isLoopbackOnly && !isLocal) throw errors.plain();
  if (metadataHosts.has(host)) throw errors.refused("its host is a metadata service");
  // A literal address is dialled without a lookup: this is the only place to check it.
  const refusal = kindOf(host) === undefined ? undefined : refusalOf(host, policy);
  if (refusal !== undefined) throw errors.refused(`its host is ${refusal}`);
  return { url, label: labelOf(url), policy, secrets: secretsOf(url) };
}

const metadataHosts = new Set([
  ...["metadata", "metadata.google.internal", "metadata.goog", "instance-data", "instance-data.ec2.internal"],
  ...["metadata.azure.internal", "metadata.tencentyun.com", "metadata.platformequinix.com", "metadata.packet.net"],
]);

function parseUrl(text: string, { bad }: TargetErrors): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw bad("an http or https address");
  if (url.username !== "" || url.password !== "") throw bad('without user and password; put them into "headers"');
  url.hash = "";
  return url;
}

function labelOf(url: URL): string {
  const path = url.pathname.split("/").map((segment) => (looksSecret(segment) ? "***" : segment));
  return `${url.origin}${path.join("/")}${url.search === "" ? "" : "?***"}`;
}

function secretsOf(url: URL): string[] {
  return [url.search.slice(1), ...url.searchParams.values(), ...url.pathname.split("/").filter(looksSecret)];
}

// The hooks of chat services carry their token in the path: long, and not a word.
function looksSecret(segment: string): boolean {
  return segment.length >= 16 && /\d/.test(segment) && /[a-z]/i.test(segment);
}

const ofSink: TargetErrors = {
  bad: (wants) => new HookError("HL_BAD_OPTION", `createWebhookSink: "url" must be ${wants}.`),
  refused: (why) => new HookError("HL_WEBHOOK_TARGET", `createWebhookSink: "url" must not be dialled: ${why}.`),
  plain: () => ofSink.refused('plain http is for loopback only; use https, or say "allowHttp"'),
};
