import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startConfigHub } from "../../../../../test/support/config-hub.ts";
import { call } from "../../../../../test/support/hook-files.ts";
import { doing, guardedBy } from "../../../../../test/support/play-extension.ts";
import { testFolder } from "../../../../../test/support/test-folder.ts";
import { createModuleSource } from "./module-source.js";

const hook = (name: string, word: string, more = "") =>
  `[[hook]]\nname = "${name}"\nmodule = "${name}.mjs"\nevent = "tool:before"\nmatch = "tool.input.command == '${word}'"\n${more}`;

describe("a hook in JavaScript", () => {
  it("that loops without end, exits or crashes affects no other decision", async () => {
    const { hub } = await startConfigHub(
      [hook("loop", "loop", "timeoutMs = 0\n"), hook("exit", "exit"), hook("crash", "crash"), hook("guard", "rm")].join(""),
      {
        "loop.mjs": "export const handle = () => { for (;;); };\n",
        "exit.mjs": "export const handle = () => process.exit(0);\n",
        "crash.mjs": "export const handle = () => { setImmediate(() => { throw new Error('late'); }); return new Promise(() => {}); };\n",
        "guard.mjs": "export const handle = () => ({ block: 'no rm' });\n",
      },
    );
    const decide = async (command: string) => hub.parts.bus.decide("tool:before", call(command));
    let isLoopAnswered = false;
    void decide("loop").then(() => {
      isLoopAnswered = true;
    });
    expect(await decide("exit")).toMatchObject({ verdict: "deny", by: "exit", cause: { failure: "crash" } });
    expect(await decide("crash")).toMatchObject({ verdict: "deny", by: "crash", cause: { failure: "crash" } });
    expect(await decide("rm")).toMatchObject({ verdict: "deny", by: "guard", reason: "no rm" });
    expect(await decide("ls")).toMatchObject({ verdict: "pass" });
    expect(isLoopAnswered).toBe(false);
  });

  it("sees all of a call that an attached agent can make, which is in the event twice", async () => {
    const folder = testFolder();
    const seen =
      "export const handle = ({ payload: { tool, raw } }) => ({ block: [tool.input.text, raw.text].map((text) => text.slice(-3)).join() });\n";
    writeFileSync(join(folder, "g.mjs"), seen);
    const at = { module: join(folder, "g.mjs"), export: "handle", style: "module" } as const;
    const source = createModuleSource({ name: "g", ...at, hooks: [{ event: "tool:before" }] });
    const text = `${"x".repeat(4 * 1024 * 1024)}end`;
    expect(await guardedBy(source).decide("tool:before", { ...doing("ls", { text }), raw: { text } })).toMatchObject({ reason: "end,end" });
  });

  it("has the hub's environment, its own folder, and prints to stderr", async () => {
    const folder = testFolder();
    writeFileSync(
      join(folder, "g.mjs"),
      "console.log('noise'); export const handle = ({ name, payload }) => ({ block: [name, payload.tool.name, process.cwd(), process.env.VITEST].join(' ') });\n",
    );
    const source = createModuleSource({
      name: "g",
      module: join(folder, "g.mjs"),
      export: "handle",
      style: "module",
      hooks: [{ event: "tool:before" }],
    });
    expect(await guardedBy(source).decide("tool:before", doing("ls"))).toMatchObject({ reason: `tool:before bash ${folder} true` });
    await expect.poll(() => source.stderr()).toContain("noise");
    await source.close();
  });

  it("is not answered for by what a program that it starts prints", async () => {
    const folder = testFolder();
    const frames = Array.from({ length: 50 }, (_, id) => JSON.stringify({ jsonrpc: "2.0", id, result: null })).join("\n");
    writeFileSync(
      join(folder, "g.mjs"),
      `import { spawnSync } from "node:child_process";
export const handle = ({ payload }) => {
  spawnSync("echo", [payload.tool.input.text], { stdio: "inherit" });
  return { block: "no" };
};\n`,
    );
    const at = { module: join(folder, "g.mjs"), export: "handle", style: "module" } as const;
    const source = createModuleSource({ name: "g", ...at, hooks: [{ event: "tool:before" }] });
    expect(await guardedBy(source).decide("tool:before", doing("ls", { text: frames }))).toMatchObject({ verdict: "deny", reason: "no" });
    await source.close();
  });

  it("says what it says, whatever a library has put into the built-in objects of its process", async () => {
    const folder = testFolder();
    writeFileSync(
      join(folder, "g.mjs"),
      `const put = (target, key, value) => Object.defineProperty(target, key, { value, configurable: true, writable: true });
const NativePromise = Promise;
class Later { static resolve() { return new Later(); } }
const changes = {
  lists: () => put(Array.prototype, "toJSON", () => []),
  objects: () => put(Object.prototype, "toJSON", () => null),
  promises: () => put(globalThis, "Promise", Later),
  json: () => put(JSON, "stringify", () => '{"decision":"allow"}'),
  keys: () => put(Reflect, "ownKeys", () => []),
};
export const handle = ({ payload: { tool: { input: { text } } } }) => {
  changes[text]();
  if (text === "promises") return (async () => ({ block: "no" }))();
  return text === "lists" ? [{ block: "no" }] : { block: "no" };
};\n`,
    );
    const at = { module: join(folder, "g.mjs"), export: "handle", style: "module" } as const;
    for (const text of ["lists", "objects", "promises", "json", "keys"]) {
      const source = createModuleSource({ name: "g", ...at, hooks: [{ event: "tool:before" }] });
      expect(await guardedBy(source).decide("tool:before", doing("ls", { text })), text).toMatchObject({ verdict: "deny", reason: "no" });
      await source.close();
    }
  });

  it("loads what it imports once for each process", async () => {
    const folder = testFolder();
    const write = (word: string) => writeFileSync(join(folder, "word.mjs"), `export const word = "${word}";\n`);
    writeFileSync(join(folder, "g.mjs"), 'import { word } from "./word.mjs";\nexport const handle = () => ({ block: word });\n');
    for (const word of ["one", "two"]) {
      write(word);
      const spec = {
        name: "g",
        module: join(folder, "g.mjs"),
        export: "handle",
        style: "module",
        hooks: [{ event: "tool:before" }],
      } as const;
      const source = createModuleSource(spec);
      const bus = guardedBy(source);
      expect(await bus.decide("tool:before", doing("ls"))).toMatchObject({ reason: word });
      write("later");
      expect(await bus.decide("tool:before", doing("ls"))).toMatchObject({ reason: word });
      await source.close();
    }
  });
});
