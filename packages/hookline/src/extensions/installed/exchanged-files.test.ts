import { chmodSync, existsSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { denying, denyingProgram, extensionJson, hookYaml, putFiles } from "../../../../../test/support/hook-files.ts";
import { doing, guardedBy } from "../../../../../test/support/play-extension.ts";
import { testFolder } from "../../../../../test/support/test-folder.ts";
import type { HookConfig } from "../../config/config.js";
import type { CheckedFiles, StartCheck } from "../handler-source.js";
import { readConfigHook } from "./config-hook.js";
import { checkedFiles, codeStamp, type HookOrigin, readHookCode } from "./hook-code.js";
import { readHookFolder } from "./hook-folder.js";

type Files = { readonly [path: string]: string };
interface Case {
  readonly files: Files;
  /** Written between the check and the load. */
  readonly exchanged: Files;
  /** A table of hookline.toml instead of a folder. */
  readonly config?: "module" | "command";
}

const MARK = "@mark@";
const js = (body: string) => `import { writeFileSync } from "node:fs";\nwriteFileSync(${JSON.stringify(MARK)}, "");\n${body}`;
const python = `open(${JSON.stringify(MARK)}, "w").close()\ndef handle(event_type, context): return None\n`;

/** Where Hookline loads the files itself: no byte of the exchanged file runs. */
const loaded: { readonly [what: string]: Case } = {
  "handler.mjs": {
    files: { "HOOK.yaml": hookYaml("h"), "handler.mjs": denying("accepted") },
    exchanged: { "handler.mjs": js("export const handle = () => {};\n") },
  },
  "an import of handler.mjs": {
    files: {
      "HOOK.yaml": hookYaml("h"),
      "handler.mjs": 'import { word } from "./lib/word.mjs";\nexport const handle = () => ({ block: word });\n',
      "lib/word.mjs": 'export const word = "accepted";\n',
    },
    exchanged: { "lib/word.mjs": js("export const word = 1;\n") },
  },
  "an import while an event is handled": {
    files: {
      "HOOK.yaml": hookYaml("h"),
      "handler.mjs": 'export const handle = async () => (await import("./late.mjs")).answer;\n',
      "late.mjs": 'export const answer = { block: "accepted" };\n',
    },
    exchanged: { "late.mjs": js("export const answer = null;\n") },
  },
  "a file that handler.js requires": {
    files: {
      "HOOK.yaml": hookYaml("h"),
      "package.json": '{ "type": "commonjs" }',
      "handler.js": 'const { word } = require("./word.cjs");\nexports.handle = () => ({ block: word });\n',
      "word.cjs": 'exports.word = "accepted";\n',
    },
    exchanged: { "word.cjs": `require("fs").writeFileSync(${JSON.stringify(MARK)}, "");\n` },
  },
  "a package in the folder": {
    files: {
      "HOOK.yaml": hookYaml("h"),
      "handler.mjs": 'import { word } from "words";\nexport const handle = () => ({ block: word });\n',
      "node_modules/words/package.json": '{ "name": "words", "type": "module", "exports": "./index.js" }',
      "node_modules/words/index.js": 'export const word = "accepted";\n',
    },
    exchanged: { "node_modules/words/index.js": js("export const word = 1;\n") },
  },
  "handler.ts": {
    files: { "HOOK.yaml": hookYaml("h"), "handler.ts": 'export const handle = (): object => ({ block: "accepted" as string });\n' },
    exchanged: { "handler.ts": js("export const handle = (): void => {};\n") },
  },
  "a module, and a file that it imports": {
    files: {
      "mod.mjs": 'import { word } from "./word.mjs";\nexport const handle = () => ({ block: word });\n',
      "word.mjs": 'export const word = "accepted";\n',
    },
    exchanged: { "word.mjs": js("export const word = 1;\n") },
    config: "module",
  },
  "handler.py": {
    files: {
      "HOOK.yaml": hookYaml("h"),
      "handler.py": 'def handle(event_type, context):\n    return {"decision": "deny", "reason": "accepted"}\n',
    },
    exchanged: { "handler.py": python },
  },
  "an import of handler.py": {
    files: {
      "HOOK.yaml": hookYaml("h"),
      "handler.py":
        'import os, sys\nsys.path.insert(0, os.path.dirname(__file__))\nimport word\ndef handle(event_type, context):\n    return {"decision": "deny", "reason": word.WORD}\n',
      "word.py": 'WORD = "accepted"\n',
    },
    exchanged: { "word.py": python },
  },
  "handler.sh": {
    files: { "HOOK.yaml": hookYaml("h"), "handler.sh": 'echo "accepted" >&2\nexit 2\n' },
    exchanged: { "handler.sh": `: > '${MARK}'\n` },
  },
};

/** Where another program loads them: it may run, and nothing that it says counts. */
const started: { readonly [what: string]: Case } = {
  "the program of an extension": {
    files: { "extension.json": extensionJson("h"), "main.mjs": denyingProgram("accepted") },
    exchanged: { "main.mjs": denyingProgram("exchanged").replace('decision: "deny"', 'decision: "allow"') },
  },
  "the script of a command": {
    files: { "cmd.sh": "#!/bin/sh\necho accepted >&2\nexit 2\n" },
    exchanged: { "cmd.sh": "#!/bin/sh\nexit 0\n" },
    config: "command",
  },
};

async function open({ files, exchanged, config }: Case, when: "never" | "once" | "and back" | "unnoticed") {
  const folder = testFolder();
  const mark = join(folder, "..", `${Date.now()}-ran`);
  const fill = (given: Files): Files =>
    Object.fromEntries(Object.entries(given).map(([name, text]) => [name, text.replaceAll(MARK, mark)]));
  putFiles(folder, fill(files));
  for (const name of Object.keys(files)) if (name.endsWith(".sh")) chmodSync(join(folder, name), 0o700);
  const shared = { name: "h", events: ["tool:before"], enabled: true, file: join(folder, "hookline.toml"), line: 1 };
  const tables = {
    module: { ...shared, kind: "module", module: join(folder, "mod.mjs"), export: "handle" },
    command: { ...shared, kind: "command", command: "./cmd.sh" },
  } as const satisfies { readonly [kind: string]: HookConfig };
  const table = config && tables[config];
  const origin: HookOrigin = table === undefined ? { folder } : { config: table };
  const hook = table === undefined ? await readHookFolder(folder, { permissions: "everything" }) : await readConfigHook(table);
  const code = readHookCode(origin);
  /** As the hub checks, and then exchanges the file: exactly between the check and the load. */
  const check: StartCheck = (since?: CheckedFiles) => {
    // The loader holds without the second check.
    if (since !== undefined && when === "unnoticed") return since;
    if (since !== undefined && when === "and back")
      for (const name of Object.keys(exchanged)) renameSync(join(folder, `${name}.was`), join(folder, name));
    const isSame = codeStamp(code, origin) === code.stamp || readHookCode(origin).digest === code.digest;
    const checked = isSame ? checkedFiles(code, table === undefined, since) : undefined;
    if (checked === undefined) throw new Error("exchanged");
    if (since !== undefined || when === "never") return checked;
    for (const [name, text] of Object.entries(fill(exchanged))) {
      if (when === "and back") renameSync(join(folder, name), join(folder, `${name}.was`));
      writeFileSync(join(folder, name), text, { mode: 0o700 });
    }
    return checked;
  };
  const source = hook.open?.(undefined, check);
  if (source === undefined) throw new Error(hook.problems.join("\n"));
  onTestFinished(() => source.close());
  const { verdict, reason } = await guardedBy(source).decide("tool:before", doing("ls"));
  return { verdict, reason, ran: existsSync(mark) };
}

describe("a file that is exchanged between the check and the load", () => {
  it.each(Object.entries(loaded))("never runs: %s", async (_, one) => {
    expect(await open(one, "never")).toMatchObject({ verdict: "deny", reason: expect.stringContaining("accepted") });
    const { verdict, reason, ran } = await open(one, "unnoticed");
    expect({ verdict, ran }).toEqual({ verdict: "deny", ran: false });
    expect(reason).toMatch(/was changed after it was checked|is not as it was when it was accepted/);
  });

  it.each(Object.entries(started))("is not believed: %s", async (_, one) => {
    expect(await open(one, "never")).toMatchObject({ verdict: "deny", reason: expect.stringContaining("accepted") });
    for (const when of ["once", "and back"] as const)
      expect(await open(one, when)).toMatchObject({ verdict: "deny", reason: expect.stringContaining("exchanged") });
  });

  it("and a file that was not accepted is not loaded", async () => {
    const handler = 'export const handle = async () => { await import("./" + "x" + ".mjs"); return null; };\n';
    const { verdict, reason, ran } = await open(
      { files: { "mod.mjs": handler }, exchanged: { "x.mjs": js("") }, config: "module" },
      "once",
    );
    expect({ verdict, ran }).toEqual({ verdict: "deny", ran: false });
    expect(reason).toContain("not among the accepted files");
  });
});
