import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type Bus, createBus, type HookEvent } from "@hookline/core";
import { findDialect, readOutput } from "../../packages/hookline/src/extensions/command/dialects/find-dialect.ts";
import { loadFolderHook } from "../../packages/hookline/src/extensions/folder/folder-hook.ts";
import type { HandlerSource, HookSpec, OwnedSource } from "../../packages/hookline/src/extensions/handler-source.ts";
import { createModuleSource } from "../../packages/hookline/src/extensions/module/module-source.ts";
import { createProcessExtension } from "../../packages/hookline/src/extensions/process/process-extension.ts";
import { createUrlSource } from "../../packages/hookline/src/extensions/url/url-source.ts";
import { hookYaml, putFiles } from "../support/hook-files.ts";
import type { Answer } from "./answers.ts";
import { values } from "./values.ts";

/** Calls a guard that gives the answer at this place of the table. */
type Ask = (place: number, mode: "open" | "closed") => Promise<{ readonly verdict: string; readonly reason?: string | undefined }>;

const at = (path: string) => new URL(path, import.meta.url).href;
const value = `import { values } from ${JSON.stringify(at("values.ts"))};
import { readFileSync } from "node:fs";
const rows = JSON.parse(readFileSync(new URL("rows.json", import.meta.url), "utf8"));
const answer = ({ tool }) => {
  const { json, value } = rows.at(tool.input.row);
  if (value === "never") return { then() {} };
  return json === undefined ? values[value][1]() : JSON.parse(json);
};
`;

/** The kinds of values that Python has, too. */
const python = `
import json, os
with open(os.path.join(os.path.dirname(__file__), "rows.json")) as file:
    rows = json.load(file)

class Instance:
    pass

async def soon(value):
    return value

async def refuse():
    raise ValueError("no")

kinds = {
    "nothing": lambda: None,
    "error": lambda: ValueError("policy server down"),
    "awaited deny": lambda: soon({"decision": "deny"}),
    "awaited nothing": lambda: soon(None),
    "awaited allow": lambda: soon({"decision": "allow"}),
    "awaited ask": lambda: soon({"decision": "ask"}),
    "rejection": refuse,
    "instance": Instance,
    "set": lambda: {"deny"},
    "bytes": lambda: b"deny",
    "function": lambda: Instance,
    "generator": lambda: ({"decision": "deny"} for _ in range(1)),
    "not a number": lambda: float("nan"),
}

def handle(event_type, context):
    row = rows[context["tool"]["input"]["row"]]
    if row.get("json") is not None:
        return json.loads(row["json"])
    return kinds[row["kind"]]()
`;
const PYTHON_KINDS = [...python.matchAll(/^ {4}"([\w ]+)":/gm)].map(([, kind]) => kind);

/** A way by which an answer reaches the bus. */
export interface Way {
  readonly ask: Ask;
  /** Whether an answer can be given in this way. */
  readonly has: (answer: Answer) => boolean;
  readonly close?: () => Promise<unknown>;
}

/** The row of a thenable that never settles. */
export const NEVER = -1;

const hasJson = ({ json }: Answer) => json !== undefined;
const everything = () => true;

export async function openWays(folder: string, answers: readonly Answer[]): Promise<{ readonly [way: string]: Way }> {
  const rows = JSON.stringify([...answers, { value: "never" }]);
  putFiles(folder, {
    "rows.json": rows,
    "module.mjs": `${value}export const handle = ({ payload }) => answer(payload);\n`,
    "process.mjs": `${value}
import { runExtension } from ${JSON.stringify(at("../../packages/core/dist/extension/index.js"))};
runExtension({ name: "process", hooks: { "tool:before": ({ payload }) => answer(payload) } });\n`,
    "folder/HOOK.yaml": hookYaml("folder"),
    "folder/rows.json": rows,
    "folder/handler.mjs": `${value}export const handle = (type, context) => answer(context);\n`,
    "python/HOOK.yaml": hookYaml("python"),
    "python/rows.json": rows,
    "python/handler.py": python,
  });
  const hooks = [{ event: "tool:before" }];
  const module = createModuleSource({ name: "module", module: join(folder, "module.mjs"), export: "handle", style: "module", hooks });
  const program = { name: "process", command: process.execPath, args: ["process.mjs"], folder, hooks };
  return {
    code: { ask: asking((event) => answerIn(answers, event)), has: ({ kind }) => kind !== "input without JSON" },
    module: outside(module),
    folder: outside(await openFolder(join(folder, "folder"))),
    process: outside(createProcessExtension({ program })),
    python: outside(await openFolder(join(folder, "python")), ({ json, kind }) => json !== undefined || PYTHON_KINDS.includes(kind)),
    url: await servedBy(answers),
  };
}

/** A closed or open guard with the answers as a command of a dialect would print them. */
export function printedIn(dialect: Parameters<typeof findDialect>[0], answers: readonly Answer[]): Way {
  return { ask: asking((event, isClosed) => commandAnswer(dialect, answers, event, isClosed)), has: hasJson };
}

function commandAnswer(
  dialect: Parameters<typeof findDialect>[0],
  answers: readonly Answer[],
  event: HookEvent,
  isClosed: boolean,
): unknown {
  const { json = "" } = answers[rowOf(event)] as Answer;
  return readOutput(findDialect(dialect), event, { exitCode: 0, stdout: json, stderr: "" }, isClosed);
}

function answerIn(answers: readonly Answer[], event: HookEvent): unknown {
  if (rowOf(event) === NEVER) return { then: () => {} };
  const { json, value: name } = answers[rowOf(event)] as Answer;
  return json === undefined ? values[name as string]?.[1]() : JSON.parse(json);
}

function rowOf(event: HookEvent): number {
  return (event.payload as unknown as { readonly tool: { readonly input: { readonly row: number } } }).tool.input.row;
}

function asking(handler: (event: HookEvent, isClosed: boolean) => unknown): Ask {
  const guarding = (timeoutMs: number) => ({
    open: busWith((event) => handler(event, false), "open", timeoutMs),
    closed: busWith((event) => handler(event, true), "closed", timeoutMs),
  });
  const [bus, short] = [guarding(60_000), guarding(100)];
  return async (row, mode) =>
    (row === NEVER ? short : bus)[mode].decide("tool:before", { tool: { name: "Bash", callId: "1", input: { row } } });
}

function busWith(handler: (event: HookEvent) => unknown, onFailure: "open" | "closed", timeoutMs: number): Bus {
  const bus = createBus({ source: "test", onAsk: "return", onError: () => {} });
  bus.on("tool:before", handler as never, { name: "guard", onFailure, timeoutMs });
  return bus;
}

function outside(source: OwnedSource, has: Way["has"] = everything): Way {
  return { ask: asking((event, isClosed) => handled(source, event, isClosed)), has, close: () => source.close() };
}

function handled(source: HandlerSource, event: HookEvent, isClosed: boolean): unknown {
  const timeoutMs = rowOf(event) === NEVER ? 50 : 60_000;
  const hook: HookSpec = { event: "tool:before", onFailure: isClosed ? "closed" : "open", timeoutMs };
  return source.handle(event, hook);
}

async function openFolder(folder: string): Promise<OwnedSource> {
  const { open, problems } = await loadFolderHook(folder);
  if (open === undefined) throw new Error(problems.map(({ message }) => message).join("\n"));
  return open();
}

async function servedBy(answers: readonly Answer[]): Promise<Way> {
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
    request.on("end", () => {
      const { payload } = JSON.parse(body) as { readonly payload: { readonly tool: { readonly input: { readonly row: number } } } };
      const { json } = answers[payload.tool.input.row] as Answer;
      response.setHeader("content-type", "application/json").end(json);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const source = createUrlSource({ name: "url", url, hooks: [{ event: "tool:before" }] });
  const close = async () => {
    await source.close();
    server.close();
  };
  return { ...outside(source, hasJson), close };
}
