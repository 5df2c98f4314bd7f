import { HookError } from "@hookline/core";
import { z } from "zod";
import { json } from "../http/answer.js";
import { refusedWith } from "../http/refused.js";
import { NDJSON_MEDIA, readBody, readText } from "../http/request-body.js";
import type { ImportAnswer, ImportBegun } from "../protocol.js";
import { route } from "./route.js";
import { contract, count } from "./schemas.js";

const MAX_BYTES = 16 * 1024 * 1024;

export const beginImport = route({
  method: "POST",
  path: "/api/imports",
  scope: "approve",
  access: "operate",
  summary: "Begins an import of events from agents' session files",
  body: z.strictObject({ files: count.describe("How many files will be read.") }).register(contract, { id: "ImportRequest" }),
  allows: ({ body }) => `add the events of ${body.files} session files to the record`,
  answer: {
    description: "The import has begun. One that was begun before is over.",
    body: z.object({ key: z.string().describe("Its events are sent with this key.") }).register(contract, { id: "ImportBegun" }),
  },
  handle: ({ parts }) => json({ key: parts.imports.begin() } satisfies ImportBegun),
});

export const importEvents = route({
  method: "POST",
  path: "/api/imports/:key",
  scope: "approve",
  // The key proves that the operator has begun the import.
  access: "ask",
  summary: "Stores events of an import, marked as imported",
  params: z.object({ key: z.string().describe("The key of the import.") }),
  rawBody: { [NDJSON_MEDIA]: z.string().describe("Envelopes, one per line.") },
  answer: {
    description: "The events are on disk.",
    body: z
      .object({
        stored: count,
        duplicates: count.describe("How many events were already stored, judged by their ids."),
        watched: count.describe("How many events were left out because the hub has recorded that part of the session itself."),
        refused: count.describe("How many lines are not valid envelopes."),
      })
      .register(contract, { id: "ImportAnswer" }),
  },
  async handle({ parts, incoming, params: { key } }) {
    const text = readText(await readBody(incoming, MAX_BYTES));
    try {
      const { watched = 0, ...result } = await parts.imports.put(
        key,
        text.split("\n").filter((line) => line !== ""),
      );
      return json({ ...result, watched } satisfies ImportAnswer);
    } catch (error) {
      throw error instanceof HookError && error.code === "HL_NOT_FOUND" ? refusedWith(404, error) : error;
    }
  },
});
