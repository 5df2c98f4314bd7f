import type { Client } from "@modelcontextprotocol/client";
import { z } from "zod";
import {
  type Descriptor,
  type Interceptor,
  type Invocation,
  invalid,
  VALID,
} from "../../../packages/mcp/dist/serve/interceptor-registry.js";
import type { FixtureInterceptor } from "./fixtures.ts";

// The vocabulary of the fixtures. The two about security are Hookline's own interceptors, in a server of their own.

/** Which server has a tool. The fixtures do not say it, and a host knows it. */
const SERVERS: { readonly [tool: string]: string } = { read_file: "filesystem", write_file: "filesystem", write_query: "sqlite" };
const anything = z.looseObject({});

type Act = Interceptor["act"];

const noteOf = ({ payload }: Invocation): unknown => (payload as { readonly arguments?: { readonly note?: unknown } }).arguments?.note;

export function interceptorFor(fixture: FixtureInterceptor, hookline: Client): Interceptor {
  const act = {
    ...own,
    "cross-boundary-guard": ask(hookline, "hookline-guards"),
    "secretless-redactor": ask(hookline, "hookline-redacts"),
  }[fixture.behavior];
  if (act === undefined) throw new Error(`The behavior "${fixture.behavior}" is not known.`);
  return { descriptor: descriptorOf(fixture), act };
}

const own: { readonly [behavior: string]: Act } = {
  "allow-all": () => VALID,
  "deny-all": () => invalid("denied by policy"),
  "require-note": (invocation) =>
    typeof noteOf(invocation) === "string" && noteOf(invocation) !== "" ? VALID : invalid("note is required"),
  "require-uppercase-note": (invocation) => {
    const note = noteOf(invocation);
    return typeof note === "string" && note === note.toUpperCase() ? VALID : invalid("note must be uppercase");
  },
  "uppercase-note": (invocation) => {
    const { payload } = invocation;
    const note = noteOf(invocation);
    if (typeof note !== "string") return { modified: false, payload };
    const given = payload as { readonly arguments: object };
    return { modified: true, payload: { ...given, arguments: { ...given.arguments, note: note.toUpperCase() } } };
  },
  crash: () => {
    throw new Error("It crashed.");
  },
};

/** Asks an interceptor of `hookline mcp serve --interceptors`. */
function ask(hookline: Client, name: string): Act {
  return async ({ event, phase, payload, context }) => {
    const tool = (payload as { readonly name?: string }).name;
    const config = tool === undefined ? {} : { config: { server: SERVERS[tool] } };
    const asked = { name, event, phase, payload, context: context ?? {}, ...config };
    const answer = await hookline.request({ method: "interceptor/invoke", params: asked }, anything);
    return answer as unknown as ReturnType<Act>;
  };
}

function descriptorOf({ name, type, events, phases, mode, failOpen }: FixtureInterceptor): Descriptor {
  const both = phases === "both" ? (["request", "response"] as const) : [phases];
  return {
    name,
    type,
    hooks: both.map((phase) => ({ events, phase })),
    ...(mode === "audit" && { mode }),
    ...(failOpen === true && { failOpen }),
  };
}
