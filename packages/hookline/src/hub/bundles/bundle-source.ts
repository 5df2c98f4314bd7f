import { type IncomingMessage, request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import { basename, dirname, join } from "node:path";
import { errorText, HookError } from "@hookline/core";
import { watchSignature } from "@hookline/core/internal/machine";
import { backoffDelay } from "@hookline/core/internal/wire";
import { BUNDLE_LIMITS } from "../../bundles/bundle.js";
import { versionOf } from "../../extensions/installed/folder-version.js";
import { lost, noAnswer, unreachable } from "../../extensions/url/url-errors.js";
import { parseUrlTarget, type UrlTarget } from "../../extensions/url/url-spec.js";
import { readRegularFile } from "../../machine/regular-file.js";

const POLL_MS = 5 * 60_000;
const MAX_PAUSE_MS = 3_600_000;
const TIMEOUT_MS = 60_000;
const SUFFIX = ".bundle";

export interface SourceOptions {
  /** A folder, a file or an https URL. */
  readonly from: string;
  readonly channel: string;
  /** True when what was offered is in force. */
  readonly offer: (bytes: Buffer) => Promise<boolean>;
  /** The source still has what it had when it was last looked at. */
  readonly confirm: () => void;
  /** Told of every try that failed. */
  readonly onFailed: (why: string) => void;
}

/** A place from which bundles come. */
export interface BundleSource {
  /** Looks now. */
  check(): Promise<void>;
  close(): void;
}

/** Follows a folder or a URL. In a folder, or below a URL that ends in a slash, a channel is the file `<channel>.bundle`. */
export function followSource(options: SourceOptions): BundleSource {
  return /^https?:/i.test(options.from) ? followUrl(options) : followFile(options);
}

export function bundlePath(from: string, channel: string): string {
  return from.endsWith(SUFFIX) ? from : join(from, `${channel}${SUFFIX}`);
}

function followFile({ from, channel, offer, confirm, onFailed }: SourceOptions): BundleSource {
  const path = bundlePath(from, channel);
  let accepted: string | undefined;
  let running = Promise.resolve();

  async function look(): Promise<void> {
    const version = versionOf(path);
    if (version === accepted) return confirm();
    const file = readRegularFile(path, BUNDLE_LIMITS.totalBytes);
    if (file === undefined) return onFailed(`There is no "${path}".`);
    if ("fault" in file) return onFailed(`"${path}" cannot be read: ${file.fault}`);
    accepted = (await offer(file.bytes)) ? version : undefined;
  }
  function check(): Promise<void> {
    running = running.then(look).catch((error: unknown) => onFailed(errorText(error)));
    return running;
  }

  const watch = watchSignature({
    signature: () => versionOf(path),
    before: versionOf(path),
    onChange: () => void check(),
    files: { folder: dirname(path), names: [basename(path)] },
  });
  const timer = setInterval(() => void check(), POLL_MS).unref();
  return {
    check,
    close() {
      watch.close();
      clearInterval(timer);
    },
  };
}

function followUrl({ from, channel, offer, confirm, onFailed }: SourceOptions): BundleSource {
  const url = /[/]$/.test(from) ? `${from}${channel}${SUFFIX}` : from;
  const closing = new AbortController();
  let known: Validators = {};
  let failures = 0;
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();

  async function look(): Promise<void> {
    if (closing.signal.aborted) return;
    try {
      // Parsed each time: what a name stands for may change, and a URL that must not be called is a fault like others.
      const answer = await getBundle(parseUrlTarget({ what: 'The "from" of [policy]', url }), known, closing.signal);
      failures = 0;
      if (answer === undefined) return confirm();
      // A bundle that is refused is fetched and judged again: the clock or the trusted keys may be others by then.
      known = (await offer(answer.body)) ? answer.validators : {};
    } catch (error) {
      failures++;
      if (!closing.signal.aborted) onFailed(errorText(error));
    }
  }
  function next(): void {
    clearTimeout(timer);
    if (closing.signal.aborted) return;
    const pause = failures === 0 ? POLL_MS * (0.75 + Math.random() / 2) : backoffDelay(failures, { baseMs: 5_000, maxMs: MAX_PAUSE_MS });
    timer = setTimeout(() => void check(), pause).unref();
  }
  function check(): Promise<void> {
    running = running.then(look).then(next);
    return running;
  }

  void check();
  return {
    check,
    close() {
      closing.abort();
      clearTimeout(timer);
    },
  };
}

interface Validators {
  readonly etag?: string;
  readonly modified?: string;
}

interface Fetched {
  readonly body: Buffer;
  readonly validators: Validators;
}

/** Undefined if the server has nothing newer. Redirects are not followed. */
function getBundle({ url, lookup }: UrlTarget, { etag, modified }: Validators, signal: AbortSignal): Promise<Fetched | undefined> {
  const headers = {
    accept: "application/octet-stream",
    "accept-encoding": "identity",
    "user-agent": "hookline",
    ...(etag !== undefined && { "if-none-match": etag }),
    ...(modified !== undefined && { "if-modified-since": modified }),
  };
  const options = { method: "GET", agent: false, lookup, headers, signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]) };
  return new Promise((resolve, reject) => {
    const request = url.protocol === "https:" ? requestSecure(url, options) : requestPlain(url, options);
    request.on("error", (error) => reject(error instanceof HookError ? error : unreachable(error)));
    request.on("response", (response) => readResponse(response).then(resolve, reject));
    request.end();
  });
}

async function readResponse(response: IncomingMessage): Promise<Fetched | undefined> {
  const { statusCode: status = 0, headers } = response;
  if (status === 304 || status !== 200) {
    response.destroy();
    if (status === 304) return undefined;
    throw noAnswer(`It answered ${status}. Only 200 and 304 are answers, and redirects are not followed.`, "Check the URL.");
  }
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > BUNDLE_LIMITS.totalBytes) throw noAnswer(`Its answer is longer than ${BUNDLE_LIMITS.totalBytes} bytes.`);
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof HookError ? error : lost(error);
  }
  if (!response.complete) throw lost("half a body");
  const { etag, "last-modified": modified } = headers;
  return { body: Buffer.concat(chunks), validators: { ...(etag !== undefined && { etag }), ...(modified !== undefined && { modified }) } };
}
