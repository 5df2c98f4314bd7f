import { lookup as lookupByDns } from "node:dns";
import { validateHeaderName, validateHeaderValue } from "node:http";
import type { LookupFunction } from "node:net";
import { checkOptions, filePath, flag, label, milliseconds, oneOf, type Rule, text } from "../../bus/option-rules.js";
import { HookError } from "../../catalog/errors.js";
import { type Encoding, encodingOption } from "../encoding.js";
import type { SinkOption, SinkOptionTable } from "../sink-definition.js";
import type { BodyFormat } from "./body.js";
import { checkFolder } from "./dead-letter-file.js";
import { createCredentialHider, type HideCredentials } from "./hide-credentials.js";
import { readKeys } from "./signature.js";
import { parseTarget, type Target } from "./target.js";

/** Options of `createWebhookSink`. */
export interface WebhookSinkOptions {
  readonly name?: string;
  /** https; plain http only to loopback, or with `allowHttp`. No user and password in it. */
  readonly url: string;
  /** Base64 with or without `whsec_`; several while one replaces the other. Without it nothing is signed. */
  readonly secret?: string | readonly string[];
  readonly headers?: { readonly [name: string]: string };
  /** `batch` (default): one request with a JSON array. `single`: one request for each event, in order. */
  readonly mode?: "batch" | "single";
  readonly encoding?: Encoding;
  /** For one request, from its beginning to the end of the answer. Default 10,000. */
  readonly timeoutMs?: number;
  /** How long `close` waits for requests under way. Default 2,000. */
  readonly closeTimeoutMs?: number;
  /** A file for what could not be delivered, in a folder that is not open to everyone. */
  readonly deadLetter?: string;
  /** Resolves names instead of the system; its answers are checked just the same. */
  readonly lookup?: LookupFunction;
  /** `false` refuses private and loopback addresses too. Default `true`. */
  readonly allowPrivate?: boolean;
  readonly allowHttp?: boolean;
}

export interface WebhookSettings extends BodyFormat {
  readonly name: string;
  readonly target: Target;
  readonly keys: readonly Buffer[];
  readonly headers: { readonly [name: string]: string };
  readonly timeoutMs: number;
  readonly closeTimeoutMs: number;
  readonly deadLetter: string | undefined;
  readonly lookup: LookupFunction;
  readonly hideCredentials: HideCredentials;
}

/** The options with their defaults; throws `HL_UNKNOWN_OPTION`, `HL_BAD_OPTION` or `HL_WEBHOOK_TARGET`, and quotes no value. */
export function readWebhookOptions(options: WebhookSinkOptions): WebhookSettings {
  checkOptions("createWebhookSink", options, webhookOptions);
  if (options.url === undefined) throw new HookError("HL_BAD_OPTION", `createWebhookSink: "url" must be ${webhookOptions.url.wants}.`);
  const { name = "webhook", url, secret, headers = {}, mode = "batch", encoding = "hookline", deadLetter } = options;
  const { timeoutMs = 10_000, closeTimeoutMs = 2_000, allowPrivate = true, allowHttp = false } = options;
  const target = parseTarget(url, { allowPrivate, allowHttp });
  const keys = readKeys(secret);
  const hideCredentials = createCredentialHider([
    ...target.secrets,
    ...Object.values(headers),
    ...(secret === undefined ? [] : [secret].flat()),
  ]);
  if (deadLetter !== undefined) checkFolder(deadLetter);
  const lookup = options.lookup ?? lookupByDns;
  return { name, target, keys, headers, mode, encoding, timeoutMs, closeTimeoutMs, deadLetter, lookup, hideCredentials };
}

export const timeLimit: Rule = {
  accepts: (value) => Number.isSafeInteger(value) && (value as number) > 0 && milliseconds.accepts(value),
  wants: "a whole number of milliseconds above 0",
};

/** The option of every sink that posts. */
export const headersOption: SinkOption = {
  accepts: areHeaders,
  wants: "an object of header values, without those the sink sets itself",
  isSecret: true,
  kind: "headers",
  what: "More headers.",
  default: "none",
};

export const webhookOptions: SinkOptionTable<WebhookSinkOptions> = {
  name: label,
  url: {
    ...text,
    wants: "an http or https address",
    isSecret: true,
    kind: "address",
    isRequired: true,
    what: "https; plain http only to loopback, or with `allowHttp`.",
  },
  secret: {
    accepts: isSecret,
    wants: 'a secret such as "whsec_…", or a list of them',
    isSecret: true,
    kind: "secrets",
    what: "Signs requests as Standard Webhooks has it; give several while one replaces another.",
    default: "not signed",
  },
  headers: headersOption,
  mode: {
    ...oneOf("batch", "single"),
    kind: "choice",
    choices: ["batch", "single"],
    what: '`"batch"`: one request for a batch. `"single"`: one for each event.',
    default: '`"batch"`',
  },
  encoding: encodingOption,
  timeoutMs: { ...timeLimit, kind: "time", what: "How long one request may take.", default: "10 s", isPartOfSend: true },
  closeTimeoutMs: { ...timeLimit, kind: "time", what: "How long closing waits for requests under way.", default: "2 s" },
  deadLetter: { ...filePath, kind: "path", what: "A file for events that could not be delivered.", default: "none" },
  lookup: { accepts: (value) => typeof value === "function", wants: "a function such as dns.lookup" },
  allowPrivate: { ...flag, kind: "flag", what: "`false` refuses private and loopback addresses.", default: "`true`" },
  allowHttp: { ...flag, kind: "flag", what: "Permits plain http.", default: "`false`" },
};

function isSecret(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 && value.every(text.accepts) : text.accepts(value);
}

// Framing and signature are the sink's own; a second opinion on them is how requests are smuggled.
const OWN_HEADERS = /^(webhook-.*|host|content-(type|length|encoding)|transfer-encoding|connection|keep-alive|upgrade|expect|te|trailer)$/i;

function areHeaders(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.entries(value).every(
    ([name, content]) => typeof content === "string" && isHeader(name, content) && !OWN_HEADERS.test(name),
  );
}

function isHeader(name: string, content: string): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, content);
    return true;
  } catch {
    return false;
  }
}
