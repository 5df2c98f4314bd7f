import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { writeGatesFile } from "@hookline/core/internal/machine";
import { beforeEach, describe, expect, it } from "vitest";
import { httpHub, replyingHub, SEAL, sealedReply, TOKEN } from "../../../../../test/support/agent-client.ts";
import { testFolder } from "../../../../../test/support/test-folder.ts";
import { clientScript, putClient } from "../attach/client-script.js";
import { openCode } from "../opencode/definition.js";
import { pi } from "../pi/definition.js";
import type { AgentDefinition, HookReply } from "../shared/definition.js";
import { encodeKey } from "./key-file.js";
import { readMisses } from "./misses.js";

// The plugins as the agents load them, in this process, with a hub that gives one answer.
const PASS: HookReply = { stdout: "", stderr: "", exitCode: 0 };
const say = (document: object, exitCode = 0): HookReply => ({ stdout: JSON.stringify(document), stderr: "", exitCode });
let [state, folder, socket] = ["", "", ""];

beforeEach(() => {
  state = testFolder();
  folder = join(state, "attach");
  socket = join(state, "http.sock");
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(join(folder, "key"), encodeKey({ token: TOKEN, seal: SEAL }), { mode: 0o600 });
});

/** A hub whose next answer can be chosen. */
async function changingHub() {
  let answer: (asked: IncomingMessage) => string | Buffer = () => "";
  await httpHub(socket, (asked, response) => void response.writeHead(200).end(answer(asked)));
  const says = (next: typeof answer): void => {
    answer = next;
  };
  return { says, replies: (reply: HookReply) => says((asked) => sealedReply(asked, reply)) };
}

type Hooks = { readonly [hook: string]: (...args: unknown[]) => unknown };

async function load(agent: AgentDefinition, isStrict: boolean, damage: (client: string) => void = () => {}): Promise<unknown> {
  const client = clientScript({ agent, isStrict, env: process.env, folder, socket });
  putClient(folder, client);
  damage(join(folder, client.name));
  const path = join(state, "hookline.mjs");
  writeFileSync(path, client.plugin ?? "");
  const loaded = (await import(pathToFileURL(path).href)) as { readonly default?: unknown; readonly Hookline?: unknown };
  return loaded.default ?? loaded.Hookline;
}

/** One tool call, as each agent makes it: what it runs, or why it does not; and what the model sees of its output. */
const agents = {
  opencode: {
    definition: openCode,
    async open(isStrict: boolean) {
      const plugin = (await load(openCode, isStrict)) as (input: object) => Promise<Hooks>;
      const hooks = await plugin({ client: {}, directory: "/project" });
      return {
        async before(args: object) {
          await hooks["tool.execute.before"]?.({ tool: "bash", sessionID: "s", callID: "c" }, { args });
          return args;
        },
        async after(text: string) {
          const output = { title: "", output: text, metadata: { output: text } };
          await hooks["tool.execute.after"]?.({ tool: "bash", sessionID: "s", callID: "c", args: {} }, output);
          return JSON.stringify(output);
        },
      };
    },
  },
  pi: {
    definition: pi,
    async open(isStrict: boolean) {
      const plugin = (await load(pi, isStrict)) as (api: object) => Promise<void>;
      const hooks: { [event: string]: (event: object, ctx: object) => Promise<{ block?: boolean; reason?: string } | undefined> } = {};
      await plugin({ on: (event: string, handler: (typeof hooks)[string]) => (hooks[event] = handler) });
      const ctx = { sessionManager: { getSessionId: () => "s" }, cwd: "/project", hasUI: false, abort() {} };
      const call = { toolName: "bash", toolCallId: "c" };
      return {
        async before(input: object) {
          const said = await hooks.tool_call?.({ ...call, input }, ctx);
          if (said?.block === true) throw new Error(said.reason);
          return input;
        },
        async after(text: string) {
          const event = { ...call, input: {}, content: [{ type: "text", text }], details: { full: text }, isError: false };
          return JSON.stringify({ ...event, ...(await hooks.tool_result?.(event, ctx)) });
        },
      };
    },
  },
};

describe.each(Object.entries(agents))("the plugin of %s", (_, { open, definition }) => {
  it("lets a call run, denies it with the reason, or gives it another input", async () => {
    const { before } = await open(true);
    const hub = await changingHub();
    hub.replies(PASS);
    expect(await before({ command: "ls" })).toEqual({ command: "ls" });
    hub.replies(say({ block: "Not this." }, 2));
    await expect(before({ command: "ls" })).rejects.toThrow("Not this.");
    // The exit code alone is enough.
    hub.replies({ stdout: "{}", stderr: "By code.\n", exitCode: 2 });
    await expect(before({ command: "ls" })).rejects.toThrow("By code.");
    hub.replies(say({ input: { command: "pwd" } }));
    expect(await before({ command: "ls", timeout: 5 })).toEqual({ command: "pwd" });
  });

  it("gives the model another output, and nothing of the old one", async () => {
    const { after } = await open(false);
    await replyingHub(socket, say({ output: "new", context: "Mind this." }));
    const seen = await after("secret");
    expect(seen).toContain("new");
    expect(seen).toContain("Mind this.");
    expect(seen).not.toContain("secret");
  });

  it.each([true, false])("without a hub, denies if strict (%s), and counts it", async (isStrict) => {
    const { before } = await open(isStrict);
    if (isStrict) await expect(before({ command: "ls" })).rejects.toThrow("attached with --strict");
    else expect(await before({ command: "ls" })).toEqual({ command: "ls" });
    expect(readMisses(folder)).toMatchObject([{ agent: definition.id, reason: "connect" }]);
  });

  it("takes no answer that is under another seal, malformed, or no document", async () => {
    const { before } = await open(true);
    const hub = await changingHub();
    const answers: ((asked: IncomingMessage) => string | Buffer)[] = [
      () => "",
      () => "{}",
      (asked) => sealedReply(asked, PASS, "another_seal-0123456789"),
      (asked) => sealedReply(asked, { stdout: "[]", stderr: "", exitCode: 0 }),
      (asked) => sealedReply(asked, { stdout: "{", stderr: "", exitCode: 0 }),
    ];
    for (const answer of answers) {
      hub.says(answer);
      await expect(before({ command: "ls" })).rejects.toThrow("attached with --strict");
    }
    expect(readMisses(folder).map(({ reason }) => reason)).toEqual(["answer", "answer", "seal", "broken", "broken"]);
  });

  it("withholds an output that a closed transform had to see, strict or not", async () => {
    writeGatesFile(state, { instance: "h", gates: [{ event: "tool:result", timeoutMs: 6_000, onFailure: "closed" }] });
    const { after } = await open(false);
    const seen = await after("secret");
    expect(seen).toContain("[withheld: the hub did not answer]");
    expect(seen).not.toContain("secret");
  });

  it("is not loaded with a damaged client if strict, and counts it", async () => {
    const damages: ((path: string) => void)[] = [
      (path) => writeFileSync(path, ""),
      (path) => writeFileSync(path, readFileSync(path, "utf8").slice(0, -1)),
      (path) => writeFileSync(path, readFileSync(path, "utf8").replace("isGate", "isgate")),
      (path) => writeFileSync(path, Buffer.alloc(5_000)),
    ];
    for (const damage of damages) {
      [state] = [testFolder()];
      await expect(load(definition, true, damage)).rejects.toThrow("--strict");
      expect(typeof (await load(definition, false, damage).catch(() => "not loaded"))).not.toBe("undefined");
    }
    expect(readMisses(folder).length).toBeGreaterThanOrEqual(damages.length);
  });
});
