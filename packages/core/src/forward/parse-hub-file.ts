import { isAbsolute } from "node:path";

/** How a hub is found and spoken to. The token may ingest and ask for decisions, never approve. */
export interface HubFile {
  /** HTTP on loopback: `http://127.0.0.1:4665`. */
  readonly url: string;
  /** The socket for forwarders. */
  readonly line: string;
  /** The socket of the HTTP server. */
  readonly http: string;
  readonly token: string;
  readonly pid: number;
  /** ISO 8601, in UTC. */
  readonly startedAt: string;
  /** Another one at each start. */
  readonly instance: string;
}

export type ParsedHubFile = { readonly file: HubFile } | { readonly reason: string };

const MAX_PID = 2 ** 31 - 1;
const MAX_PATH = 4096;
// Literal addresses alone: a name, even "localhost", is what a resolver makes of it. Nothing but an origin: no user, path, query or fragment.
const LOOPBACK_ORIGIN = /^http:\/\/(?:127(?:\.\d{1,3}){3}|\[::1\])(?::[1-9]\d{0,4})?\/?$/;
// What RFC 6750 lets a bearer token be, so that it can end no header line.
const TOKEN = /^[\w.~+/-]{16,1024}={0,2}$/;
const UTC_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;
const INSTANCE = /^[\w.:-]{1,128}$/;
const UNPRINTABLE = /[\p{Cc}\p{Cs}]/u;

/** What each field must be, in words and as a test. */
const fields: { readonly [Name in keyof HubFile]: readonly [must: string, test: (value: unknown) => boolean] } = {
  url: ["an http URL of a loopback address, such as http://127.0.0.1:4665", isLoopbackOrigin],
  line: ["the full path of a socket", isSocketPath],
  http: ["the full path of a socket", isSocketPath],
  token: ["16 to 1024 letters, digits and - . _ ~ + /", (value) => matches(TOKEN, value)],
  pid: ["the number of a process", (value) => Number.isInteger(value) && Number(value) > 0 && Number(value) <= MAX_PID],
  startedAt: ["a time in UTC, such as 2026-01-31T12:00:00.000Z", isTime],
  instance: ["1 to 128 letters, digits and - . _ :", (value) => matches(INSTANCE, value)],
};
const names = Object.keys(fields) as (keyof HubFile)[];

/** Reads the bytes of a discovery file. A reason names the field and never what stood in it: a token may stand in the wrong place. */
export function parseHubFile(bytes: Uint8Array): ParsedHubFile {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    // The parser's own message quotes the text, and the token with it.
    return { reason: "it is not JSON in UTF-8" };
  }
  return checkHubFile(value);
}

/** Takes the known fields, own ones only, into an object of its own; what a later version adds is left out. */
export function checkHubFile(value: unknown): ParsedHubFile {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return { reason: "it is not a JSON object" };
  for (const name of names) {
    const [must, test] = fields[name];
    if (!Object.hasOwn(value, name)) return { reason: `"${name}" is missing` };
    if (!test((value as Record<string, unknown>)[name])) return { reason: `"${name}" must be ${must}` };
  }
  const { url, line, http, token, pid, startedAt, instance } = value as HubFile;
  return { file: { url, line, http, token, pid, startedAt, instance } };
}

function isLoopbackOrigin(value: unknown): boolean {
  return matches(LOOPBACK_ORIGIN, value) && URL.canParse(value as string);
}

function isSocketPath(value: unknown): boolean {
  return typeof value === "string" && isAbsolute(value) && value.length <= MAX_PATH && !UNPRINTABLE.test(value);
}

function isTime(value: unknown): boolean {
  return matches(UTC_TIME, value) && !Number.isNaN(Date.parse(value as string));
}

function matches(pattern: RegExp, value: unknown): boolean {
  return typeof value === "string" && pattern.test(value);
}
