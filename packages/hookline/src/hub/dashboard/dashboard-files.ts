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
const CONTENT_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const HEADERS = {
  "Content-Security-Policy": CONTENT_POLICY,
  "Cross-Origin-Opener-Policy": "same-origin",
  "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
  "X-Frame-Options": "DENY",
};

const HTML_TYPE = "text/html; charset=utf-8";
export const SCRIPT_TYPE = "text/javascript; charset=utf-8";

/** An answer with the headers that the dashboard's files need. */
export function dashboardAnswer(text: string | Uint8Array, type: string = HTML_TYPE): TextAnswer {
  return { status: 200, type, text, headers: HEADERS };
}

/** The dashboard has no service worker. This script replaces one that another server left at this address, and unregisters itself. */
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
