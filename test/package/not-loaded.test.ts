import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { runNode } from "../docs/repository.ts";
import { testFolder } from "../support/test-folder.ts";
import { builtFile } from "./built.ts";

/** An agent whose `@hookline/core` lacks the parts that are loaded apart from its entry. */
const AGENT = `
import { ask, block, createBus, replace } from "./core/dist/index.js";
const bus = createBus({ onError: ({ code }) => seen.push(code) });
const seen = [];
const call = (command) => ({ tool: { name: "Bash", input: { command } } });
bus.setApprover(() => ({ verdict: "allow" }));
bus.on("tool:before", ({ payload }) => (payload.tool.input.command === "rm" ? block("no") : undefined), { name: "sync" });
bus.on("tool:before", async ({ payload }) => (payload.tool.input.command === "mv" ? block("no") : undefined), { name: "async" });
bus.on("tool:before", ({ payload }) => (payload.tool.input.command === "cp" ? ask("sure?") : undefined), { name: "asks" });
bus.on("tool:result", () => replace("clean"), { onFailure: "closed" });
const said = {};
for (const command of ["ls", "rm", "mv", "cp"]) {
  const { verdict, cause } = await bus.decide("tool:before", call(command));
  said[command] = [verdict, cause?.code];
}
let ran = false;
const run = await bus.runTool(call("ls"), () => (ran = true));
said.run = [run.status, run.decision.cause.code, ran];
const { isWithheld, trail } = await bus.transform("tool:result", { secret: 1 }, call("ls"));
said.result = [isWithheld, trail.length];
said.seen = [...new Set(seen)];
console.log(JSON.stringify(said));
`;

it("what needs a part that cannot be loaded is denied or withheld, and all other guards judge as ever", async () => {
  const folder = testFolder();
  const dist = dirname(builtFile("core", "dist/index.js"));
  mkdirSync(join(folder, "core"));
  cpSync(dist, join(folder, "core/dist"), { recursive: true });
  writeFileSync(join(folder, "core/package.json"), '{ "type": "module" }');
  for (const part of ["approval", "decide-fast", "make-whole", "run-tool"]) rmSync(join(folder, `core/dist/bus/${part}.js`));
  writeFileSync(join(folder, "agent.mjs"), AGENT);
  const { stdout, stderr, code } = await runNode([join(folder, "agent.mjs")]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(JSON.parse(stdout)).toEqual({
    ls: ["pass", null],
    rm: ["deny", null],
    mv: ["deny", null],
    cp: ["deny", "HL_NOT_LOADED"],
    run: ["blocked", "HL_NOT_LOADED", false],
    result: [true, 1],
    seen: ["HL_NOT_LOADED"],
  });
});
