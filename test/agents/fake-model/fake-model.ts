import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { anthropic } from "./anthropic.ts";
import { chat } from "./chat.ts";
import { type Call, isObject, type Json, type ModelInterface, type Reply, sendJson, type Turn } from "./conversation.ts";
import { gemini } from "./gemini.ts";
import { responses } from "./responses.ts";

/** What the model does: in each turn the calls that it makes at once, one step after the other; then it is done. */
type Script = readonly (readonly Call[])[];

export interface FakeModelOptions {
  /** By name. A prompt with `script:<name>` in it gets that one, also a prompt that the model itself gives a subagent. */
  readonly scripts: { readonly [name: string]: Script };
  /** Before a step of the script `main` is answered; the step after the last is the end. */
  readonly onStep?: (step: number) => Promise<void> | void;
}

export interface FakeModel extends AsyncDisposable {
  readonly url: string;
  /** Bodies of all requests, oldest first. */
  readonly requests: readonly string[];
  /** Whether any request had this in it, as JSON text would. */
  saw(text: string): boolean;
  /** How many steps of a script were asked for. */
  asked(script: string): number;
}

const interfaces: readonly ModelInterface[] = [anthropic, responses, chat, gemini];
const MARK = /script:(\w+)/g;

/** A model on loopback that does as its script says. What it answers depends on the conversation alone, so it may be asked twice. */
export async function startFakeModel({ scripts, onStep }: FakeModelOptions): Promise<FakeModel> {
  const requests: string[] = [];
  const asked: string[] = [];

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? "/", "http://model").pathname;
    const text = await readAll(request);
    const spoken = interfaces.find((one) => request.method === "POST" && one.path.test(path));
    if (spoken === undefined) return sideShow(path, response);
    requests.push(text);
    const body = parse(text);
    const { turns, hasTools } = spoken.read(body);
    const place = hasTools ? placeOf(turns) : undefined;
    if (place !== undefined) {
      asked.push(place.script);
      if (place.script === "main") await onStep?.(place.step);
    }
    spoken.write(replyOf(body, scripts, place), { body, path }, response);
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    saw: (text) => requests.some((request) => request.includes(JSON.stringify(text).slice(1, -1))),
    asked: (script) => asked.filter((name) => name === script).length,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Place {
  readonly script: string;
  readonly step: number;
}

/** Where in which script a conversation is: as many steps on as the model has called tools since it was told. */
function placeOf(turns: readonly Turn[]): Place | undefined {
  const told = turns.findLastIndex(({ role, text }) => role === "user" && text.search(MARK) >= 0);
  const script = [...(turns[told]?.text ?? "").matchAll(MARK)].at(-1)?.[1];
  if (script === undefined) return undefined;
  return { script, step: turns.slice(told).filter(({ role, calls }) => role === "assistant" && calls > 0).length };
}

function replyOf({ generationConfig }: Json, scripts: FakeModelOptions["scripts"], place: Place | undefined): Reply {
  const calls = place === undefined ? undefined : scripts[place.script]?.[place.step];
  if (calls !== undefined) return { calls };
  // Gemini CLI asks on the side for small documents, and repeats itself when it gets none.
  const wantsJson = isObject(generationConfig) && generationConfig.responseMimeType === "application/json";
  return { text: wantsJson ? "{}" : "Done." };
}

/** What clients ask besides. */
function sideShow(path: string, response: ServerResponse): void {
  if (path.endsWith("/count_tokens")) return sendJson(response, { input_tokens: 10 });
  if (path.endsWith(":countTokens")) return sendJson(response, { totalTokens: 10 });
  if (path.endsWith("/models")) return sendJson(response, { object: "list", data: [{ id: "fake-model", object: "model" }], models: [] });
  sendJson(response, { error: { message: "not here", type: "not_found" } }, 404);
}

async function readAll(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

function parse(text: string): Json {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
