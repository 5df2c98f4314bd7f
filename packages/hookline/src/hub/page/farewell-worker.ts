import type { IncomingMessage } from "node:http";
import type { TextAnswer } from "../http/answer.js";
import { pageAnswer, SCRIPT_TYPE } from "./page-answer.js";

/** The page has no service worker. One that another server left at this address takes itself away when the browser looks for a newer one. */
const SCRIPT = `"use strict";
addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(registration.unregister()));
`;

/** Browsers say so when they ask for the script of a worker, and ask past the worker itself. */
export function asksForWorker({ method, headers }: IncomingMessage): boolean {
  return method === "GET" && headers["service-worker"] === "script";
}

export function farewellWorker(): TextAnswer {
  const answer = pageAnswer(SCRIPT, SCRIPT_TYPE);
  return { ...answer, headers: { ...answer.headers, "Service-Worker-Allowed": "/" } };
}
