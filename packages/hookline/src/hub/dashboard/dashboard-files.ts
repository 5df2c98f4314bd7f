import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TextAnswer } from "../http/answer.js";

interface DashboardFile {
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** The same folder, whether this file runs from `src` or from `dist`. */
const BUILT = fileURLToPath(new URL("../../../dist/ui/", import.meta.url));
const NAME = /^[A-Za-z0-9_][\w.-]{0,200}$/;
const TYPES: { readonly [extension: string]: string } = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

/** A file of the dashboard. Gives undefined if it is missing or is not a regular file. */
export function readDashboardFile(part: "" | "assets", name: string, folder: string = BUILT): DashboardFile | undefined {
  const type = TYPES[extname(name)];
  if (type === undefined || !NAME.test(name)) return undefined;
  let fd: number | undefined;
  try {
    fd = openSync(join(folder, part, name), constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    return fstatSync(fd).isFile() ? { type, bytes: readFileSync(fd) } : undefined;
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** The dashboard may run and show its own files and call its own hub. Text from events can become neither markup nor script. */
const contentPolicy = (more: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "font-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    ...more,
  ].join("; ");

/** At the public origin the dashboard starts its own worker, for push messages. Its policy is the only way to name a script. */
const POLICIES = {
  own: contentPolicy(["trusted-types 'none'"]),
  public: contentPolicy(["worker-src 'self'", "trusted-types hookline-worker"]),
} as const;

const HEADERS = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
  "X-Frame-Options": "DENY",
};

const HTML_TYPE = "text/html; charset=utf-8";
export const SCRIPT_TYPE = "text/javascript; charset=utf-8";

/** An answer with the headers that the dashboard's files need. */
export function dashboardAnswer(text: string | Uint8Array, type: string = HTML_TYPE, where: keyof typeof POLICIES = "own"): TextAnswer {
  return { status: 200, type, text, headers: { ...HEADERS, "Content-Security-Policy": POLICIES[where] } };
}

/**
 * The dashboard has no service worker, except `worker.js` at its public origin. This script replaces one that another server left at this
 * address, and unregisters itself.
 */
const UNREGISTER_SCRIPT = `"use strict";
addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(registration.unregister()));
`;

/** Browsers send this header when they fetch the script of a service worker, and the worker itself does not see that request. */
export function asksForServiceWorker({ method, headers }: IncomingMessage): boolean {
  return method === "GET" && headers["service-worker"] === "script";
}

export function unregisterServiceWorker(): TextAnswer {
  const answer = dashboardAnswer(UNREGISTER_SCRIPT, SCRIPT_TYPE);
  return { ...answer, headers: { ...answer.headers, "Service-Worker-Allowed": "/" } };
}
