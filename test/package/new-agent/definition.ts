import { join } from "node:path";
import { plainJson } from "../../../packages/hookline/src/agents/install/json-document.ts";
import {
  type AgentDefinition,
  type AgentSamples,
  type EntryOptions,
  type NativeEvent,
  nativeEvent,
} from "../../../packages/hookline/src/agents/shared/definition.ts";
import { answer, NOTHING, reasonOf } from "../../../packages/hookline/src/agents/shared/hook-reply.ts";
import { isObject } from "../../../packages/hookline/src/agents/shared/native-payload.ts";
import { createTranslator } from "../../../packages/hookline/src/agents/shared/translator.ts";

const events = {
  before_tool: nativeEvent("tool:before", "block"),
  after_tool: nativeEvent("tool:after"),
} as const satisfies { readonly [native: string]: NativeEvent };

const samples: AgentSamples = {
  call: (_, { name, input }, { session, cwd }) => ({ conversation: session, dir: cwd, call: { name, args: input } }),
  prompt: (_, text, { session, cwd }) => ({ conversation: session, dir: cwd, text }),
  mcpTool: (server, tool) => ({ name: `${server}/${tool}` }),
};

/** An agent that does not exist, with words, settings and a unit of time of its own. */
export const heron: AgentDefinition = {
  id: "heron",
  title: "Heron",
  program: { commands: ["heron"] },
  contracts: [
    {
      source: { tried: "documentation", url: "https://example.org/heron" },
      guarding: { level: "strict" },
      events,
      dialect: "JSON",
      timeout: { unitMs: 1, defaultMs: 60_000 },
      blocks: ['verdict "deny"'],
      failure: { mode: "open", runsAfter: ["every failure"] },
    },
  ],
  holes: [],
  install: {
    targets: ["user"],
    settingsPath: (_, env) => join(env.HOME ?? "", ".heron", "hooks.json"),
    file: {
      syntax: plainJson,
      entries: ({ command, timeoutSeconds }: EntryOptions) =>
        Object.fromEntries(Object.keys(events).map((name) => [name, [{ run: command(name), ms: timeoutSeconds(name) * 1000 }]])),
    },
    shell: () => ["/bin/sh", "-c"],
    entry: { command: "run", timeout: "ms" },
    cautions: () => ["Heron wants a restart."],
  },
  outputFields: [],
  events,
  tools: { terminal: { name: "Bash" } },
  samples,
  translate: createTranslator({
    agent: "heron",
    events,
    details: {},
    common(native) {
      const { name, args } = native.neededObject("call") ?? {};
      return {
        session: { id: native.needed("conversation") },
        agent: { platform: "heron" },
        cwd: native.text("dir"),
        tool: { name: name === "terminal" ? "Bash" : String(name), runtimeName: name, input: isObject(args) ? args : {} },
      };
    },
    keyOf: () => undefined,
  }),
  reply: (native, decision) =>
    native === "before_tool" && decision.verdict !== "pass" && decision.verdict !== "allow"
      ? answer({ verdict: "deny", why: reasonOf(decision) })
      : NOTHING,
};
