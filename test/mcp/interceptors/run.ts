// The fixtures of the draft for interceptors, replayed against Hookline's interceptor server.
import { readFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { MAIN, McpHome } from "../mcp-home.ts";
import { interceptorFor } from "./behaviors.ts";
import { type Fixture, type FixtureStep, findFixtures } from "./fixtures.ts";
import { InterceptorHost } from "./host.ts";

// biome-ignore lint/suspicious/noExplicitAny: payloads and results of any shape
type Json = any;

const fixtures = findFixtures();
if (typeof fixtures === "string") {
  console.log(`SKIPPED: ${fixtures}`);
  process.exit(0);
}

const home = new McpHome();
const failed: string[] = [];
try {
  await home.up(readFileSync(new URL("../../../packages/hookline/rules/secrets-out.toml", import.meta.url), "utf8"));
  const hookline = new Client({ name: "host", version: "1" });
  const args = [MAIN, "mcp", "serve", "--interceptors", "sep-2624-2026-09", "--redact"];
  await hookline.connect(new StdioClientTransport({ command: process.execPath, args, env: home.cli.env as Record<string, string> }));
  for (const fixture of fixtures) {
    const host = await InterceptorHost.open(fixture.interceptors.map((one) => interceptorFor(one, hookline)));
    const faults = await replay(fixture, host);
    await host.close();
    console.log(
      `${faults.length === 0 ? "ok  " : "FAIL"} ${fixture.id} [${fixture.requirement}]${faults.map((fault) => `\n     ${fault}`).join("")}`,
    );
    if (faults.length > 0) failed.push(fixture.id);
  }
  await hookline.close();
} finally {
  await home.close();
}
console.log(`${fixtures.length - failed.length} of ${fixtures.length} fixtures pass.`);
process.exitCode = failed.length === 0 && fixtures.length > 0 ? 0 : 1;

async function replay({ steps, volatile }: Fixture, host: InterceptorHost): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const [index, step] of steps.entries()) {
    const fault = await faultOf(step, volatile, host).catch((error: unknown) => `it failed: ${error}`);
    if (fault !== undefined) faults.push(`step ${index} (${step.op}): ${fault}`);
  }
  return faults;
}

async function faultOf(step: FixtureStep, volatile: readonly string[], host: InterceptorHost): Promise<string | undefined> {
  const { op, event, phase, payload, params, context, expect } = step;
  if (op === "list") return differs(await host.list(event), expect.canonical, volatile);
  if (op === "invoke") {
    const answer = await host.invoke(params).catch((error: { readonly code: number }) => ({ errorCode: error.code }));
    if (expect.errorCode === undefined) return differs(answer, expect.canonical, volatile);
    return answer.errorCode === expect.errorCode ? undefined : `expected the error ${expect.errorCode}, got ${JSON.stringify(answer)}`;
  }
  const ran = await host.run({ event: String(event), phase: phase ?? "request", payload, sessionId: context?.sessionId });
  if (ran.decision !== expect.decision) return `expected ${expect.decision}, got ${ran.decision}`;
  const final = canonical(scrubbed(ran.finalPayload, volatile));
  if (expect.finalPayloadCanonical !== undefined && final !== expect.finalPayloadCanonical) return `the payload is ${final}`;
  const leaked = (expect.forbids ?? []).find((text: string) => final.includes(text));
  if (leaked !== undefined) return `the payload still has ${leaked}`;
  const missing = (expect.requires ?? []).find((text: string) => !final.includes(text));
  return missing === undefined ? undefined : `the payload lacks ${missing}`;
}

function differs(answer: Json, expected: string, volatile: readonly string[]): string | undefined {
  const actual = canonical(scrubbed(answer, volatile));
  return actual === expected ? undefined : `expected ${expected}\n       got ${actual}`;
}

function scrubbed(value: Json, volatile: readonly string[]): Json {
  if (Array.isArray(value)) return value.map((one) => scrubbed(one, volatile));
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => !volatile.includes(key));
  return Object.fromEntries(kept.map(([key, one]) => [key, scrubbed(one, volatile)]));
}

/** RFC 8785: keys in order, no spaces. */
function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
  return `{${members.join(",")}}`;
}
