import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { repository } from "../package/source-tree.js";

const run = promisify(execFile);
const strict = { strict: true, target: "ES2022", module: "NodeNext", lib: ["ES2022"], types: ["node"], noEmit: true, skipLibCheck: false };

/** What the compiler says in a project that has installed the built packages. */
async function compile(source: string, options: { readonly [key: string]: unknown } = {}): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "hookline-consumer-"));
  try {
    writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
    writeFileSync(join(folder, "agent.ts"), source);
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: { ...strict, ...options }, files: ["agent.ts"] }));
    mkdirSync(join(folder, "node_modules/@hookline"), { recursive: true });
    symlinkSync(join(repository, "packages/core"), join(folder, "node_modules/@hookline/core"), "dir");
    symlinkSync(join(repository, "node_modules/@types"), join(folder, "node_modules/@types"), "dir");
    const { stdout } = await run(process.execPath, [join(repository, "node_modules/typescript/bin/tsc"), "-p", folder]).catch(
      (failed: { readonly stdout: string }) => failed,
    );
    return stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const agent = `
  import { block, createBus } from "@hookline/core";
  import { createReminderBook } from "@hookline/core/remind";
  const bus = createBus({ source: "my-agent", reminders: createReminderBook() });
  const off = bus.on("tool:before", (event) => (event.payload.tool.input.command?.includes("rm -rf") ? block("no") : undefined));
  const decision = await bus.decide("tool:before", { tool: { name: "bash", input: { command: "ls" } } });
  if (decision.allowed) off();
`;

describe("a project of a user compiles", () => {
  it("with strict alone and the types of Node", async () => {
    expect(await compile(agent)).toBe("");
  });

  it("with the strictest options there are", async () => {
    const strictest = { exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, noPropertyAccessFromIndexSignature: true };
    expect(await compile(agent, { ...strictest, verbatimModuleSyntax: true, isolatedModules: true, noImplicitReturns: true })).toBe("");
  });

  it("with a bundler, and the types of a browser instead of Node's", async () => {
    const browser = { module: "ESNext", moduleResolution: "bundler", lib: ["ES2022", "DOM"], types: [] };
    expect(await compile(agent, browser)).toBe("");
  });

  it("with a value of its own declared for a transform", async () => {
    const source = `
      import { createBus } from "@hookline/core";
      declare module "@hookline/core" {
        interface EventPayloads { "myapp:deployed": { readonly version: string } }
        interface TransformValues { "tool:result": string }
      }
      const bus = createBus();
      bus.on("myapp:deployed", (event) => event.payload.version.toUpperCase());
      bus.on("tool:result", (event) => event.value.toUpperCase());
      bus.on("transform_tool_result", (event) => event.value.trim());
      const { value } = await bus.transform("tool:result", "text");
      value.toUpperCase();
    `;
    expect(await compile(source)).toBe("");
  });
});

describe("a project without exactOptionalPropertyTypes is told all the same", () => {
  const wrong = [
    `bus.on("finish:before", () => block("no"));`,
    `bus.on("finish:before", async () => block("no"));`,
    `bus.on("prompt:submit", () => ask("sure?"));`,
    `bus.on("tool:before", () => again("go on"));`,
    `bus.on("tool:env", () => block("no"));`,
    `bus.on("tool:before", () => ({ decison: "deny", reason: "no" }));`,
    `bus.on("tool:before", () => undefined, { priorty: 1 });`,
    `bus.setSentinel(() => again("go on"));`,
    `bus.on("tool:befor", () => undefined);`,
    `bus.decide("tool:after");`,
  ];
  it("of every outcome, option and name that is wrong", async () => {
    const source = [`import { again, ask, block, createBus } from "@hookline/core"; const bus = createBus();`, ...wrong].join("\n");
    const said = await compile(source);
    const unnoticed = wrong.filter((_, index) => !said.includes(`agent.ts(${index + 2},`));
    expect(unnoticed).toEqual([]);
  });

  it("and which outcomes there are instead", async () => {
    const said = await compile(`import { block, createBus } from "@hookline/core";\ncreateBus().on("finish:before", () => block("no"));`);
    expect(said).toContain(`"again" | "modify" | "remind"`);
  });
});
