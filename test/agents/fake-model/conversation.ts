import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";

export type Json = { readonly [key: string]: unknown };

/** One turn of a conversation, whatever the interface it came by. */
export interface Turn {
  readonly role: "user" | "assistant" | "tool";
  readonly text: string;
  /** How many tools the model called in it. */
  readonly calls: number;
}

export interface Call {
  readonly tool: string;
  readonly input: Json;
  /** OpenAI's Responses: the group that the tool is in, such as a server's. */
  readonly namespace?: string;
}

/** What the model says: words, or calls made at once. */
export type Reply = { readonly text: string } | { readonly calls: readonly Call[] };

/** One of the interfaces that agents talk to their model by. */
export interface ModelInterface {
  readonly path: RegExp;
  /** The conversation so far, and whether there are tools to call. */
  read(body: Json): { readonly turns: readonly Turn[]; readonly hasTools: boolean };
  write(reply: Reply, asked: { readonly body: Json; readonly path: string }, response: ServerResponse): void;
}

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function objects(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** All text in a piece of a conversation. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(textOf).join("\n");
  return isObject(value) ? textOf(value.text ?? value.content ?? value.output ?? "") : "";
}

export function newId(prefix: string): string {
  return `${prefix}_${randomUUID().replaceAll("-", "").slice(0, 22)}`;
}

export function sendJson(response: ServerResponse, document: object, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(document));
}

/** Events one after the other, as all of these interfaces stream. */
export function sendStream(
  response: ServerResponse,
  events: readonly (readonly [name: string | undefined, data: object | string])[],
): void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  for (const [name, data] of events) {
    const text = typeof data === "string" ? data : JSON.stringify(data);
    response.write(`${name === undefined ? "" : `event: ${name}\n`}data: ${text}\n\n`);
  }
  response.end();
}
