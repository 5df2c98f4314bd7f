import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { HookError } from "@hookline/core";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/test-folder.js";
import { takeLock } from "../../machine/lock.js";
import { findAgent } from "../agents.js";
import type { AgentDefinition } from "../shared/definition.js";
import { applyEdit } from "./apply-edit.js";
import { readInstalled } from "./installed.js";
import { planDetach } from "./plan-detach.js";
import { type EditTarget, planEdit, type WantedFile } from "./plan-edit.js";

const mark = "/attach/claude-code.sh";
const entry = (event: string, timeout = 600) => ({
  matcher: "*",
  hooks: [{ type: "command", command: `sh '/s${mark}' ${event}`, timeout }],
});
const syntax = { comments: true, trailingCommas: false, byteOrderMark: true };
const wanted: WantedFile = { entries: { PreToolUse: [entry("PreToolUse")], Stop: [entry("Stop")] }, marks: [mark], syntax };
const own: WantedFile = { ...wanted, own: { version: 1 } };
const refused = (message: RegExp, more: object = {}) =>
  expect.objectContaining({ code: "HL_AGENT_FILE", message: expect.stringMatching(message), ...more });

interface Bench {
  readonly folder: string;
  readonly target: EditTarget;
  attach(what?: WantedFile): string;
  detach(): string;
  read(): string;
  write(text: string): void;
}

function bench(text?: string): Bench {
  const home = testFolder();
  const folder = join(home, "state", "attach");
  const path = join(home, "project", ".claude", "settings.json");
  const target = { agent: "claude-code", scope: "project", path } as const;
  mkdirSync(join(home, "project"));
  const write = (next: string) => {
    mkdirSync(join(home, "project", ".claude"), { recursive: true });
    writeFileSync(path, next);
  };
  if (text !== undefined) write(text);
  const done = (plan: ReturnType<typeof planEdit>) => {
    applyEdit(folder, plan);
    return plan.change;
  };
  return {
    folder,
    target,
    attach: (what = wanted) => done(planEdit(folder, target, what)),
    detach: () => done(planDetach(folder, target)),
    read: () => readFileSync(path, "utf8"),
    write,
  };
}

describe("a file that was there", () => {
  const text = '\ufeff{\r\n\t// mine\r\n\t"model": "x"\r\n}';

  it("comes back to the byte, with mode, and nothing is left behind", () => {
    const { attach, detach, read, target, folder } = bench(text);
    chmodSync(target.path, 0o640);
    expect(attach()).toBe("change");
    expect(read()).toContain(mark);
    expect(read()).toMatch(/^\ufeff\{\r\n\t\/\/ mine\r\n\t"model": "x",\r\n\t"hooks": \{\r\n\t\t"PreToolUse": \[/);
    expect(statSync(target.path).mode & 0o777).toBe(0o640);
    const [record] = readInstalled(folder);
    expect(record).toMatchObject({ agent: "claude-code", scope: "project", path: target.path, entries: wanted.entries });
    expect(statSync(join(folder, "backups", record?.backup ?? "")).mode & 0o777).toBe(0o600);
    expect(record?.backup).toMatch(/^claude-code-project-[0-9a-f]{16}\.bak$/);
    expect(detach()).toBe("change");
    expect(read()).toBe(text);
    expect(statSync(target.path).mode & 0o777).toBe(0o640);
    expect(readInstalled(folder)).toEqual([]);
    expect(readdirSync(join(folder, "backups"))).toEqual([]);
    expect(readdirSync(join(target.path, ".."))).toEqual(["settings.json"]);
  });

  it("is the same after a second time, and so is the record", () => {
    const { attach, detach, read, folder } = bench(text);
    attach();
    const [once, record] = [read(), readFileSync(join(folder, "installed.json"), "utf8")];
    expect(attach()).toBe("none");
    expect([read(), readFileSync(join(folder, "installed.json"), "utf8")]).toEqual([once, record]);
    detach();
    expect(detach()).toBe("none");
    expect(read()).toBe(text);
  });

  it("comes back after an update, too", () => {
    const { attach, detach, read, folder } = bench(text);
    attach();
    expect(attach({ ...wanted, entries: { PreToolUse: [entry("PreToolUse", 30)] } })).toBe("change");
    expect(read()).not.toContain("Stop");
    expect(readdirSync(join(folder, "backups"))).toHaveLength(1);
    detach();
    expect(read()).toBe(text);
  });

  it("keeps what was changed since, also if attached again", () => {
    const { attach, detach, read, write } = bench(text);
    attach();
    write(read().replace("// mine", "// changed").replace('"x"', '"y"'));
    expect(attach()).toBe("none");
    attach({ ...wanted, entries: { PreToolUse: [entry("PreToolUse", 30)] } });
    detach();
    expect(read()).toBe(text.replace("// mine", "// changed").replace('"x"', '"y"'));
  });

  it("loses exactly our entries, even without record and backup", () => {
    const { attach, detach, read, folder, target } = bench('{\n  "hooks": {\n    "Stop": [],\n    "PreToolUse": []\n  }\n}\n');
    attach();
    rmSync(folder, { recursive: true });
    expect(detach()).toBe("none");
    applyEdit(folder, planDetach(folder, target, wanted));
    expect(JSON.parse(read())).toEqual({ hooks: { Stop: [], PreToolUse: [] } });
  });

  it("is left alone when it is as before, or gone", () => {
    const { attach, detach, read, write, target, folder } = bench(text);
    attach();
    write(text);
    expect(detach()).toBe("none");
    expect(read()).toBe(text);
    attach();
    rmSync(target.path);
    expect(detach()).toBe("none");
    expect(existsSync(target.path)).toBe(false);
    expect(readInstalled(folder)).toEqual([]);
  });

  it("may be blank, and becomes blank again", () => {
    for (const blank of ["", "\n", "\ufeff \n"]) {
      const { attach, detach, read } = bench(blank);
      attach();
      expect(JSON.parse(read())).toEqual({ hooks: wanted.entries });
      detach();
      expect(read()).toBe(blank);
    }
  });

  it("stays behind its link", () => {
    const { attach, detach, read, target } = bench(text);
    const real = join(testFolder(), "dotfiles.json");
    writeFileSync(real, text);
    rmSync(target.path);
    symlinkSync(real, target.path);
    attach();
    expect(readlinkSync(target.path)).toBe(real);
    expect(readFileSync(real, "utf8")).toContain(mark);
    detach();
    expect(read()).toBe(text);
    rmSync(real);
    expect(() => attach()).toThrow(refused(/broken symlink/));
  });
});

describe("a file that was not there", () => {
  it("goes again, with its folders", () => {
    const { attach, detach, read, target } = bench();
    expect(attach()).toBe("create");
    expect(JSON.parse(read())).toEqual({ hooks: wanted.entries });
    expect(detach()).toBe("remove");
    expect(existsSync(join(target.path, ".."))).toBe(false);
    expect(existsSync(join(target.path, "..", ".."))).toBe(true);
  });

  it("stays with what others have put into it, and so do folders", () => {
    const { attach, detach, read, write, target } = bench();
    attach();
    write(read().replace("{", '{\n  "model": "x",'));
    expect(detach()).toBe("change");
    expect(JSON.parse(read())).toEqual({ model: "x" });
    rmSync(target.path);
    attach();
    writeFileSync(join(target.path, "..", "other"), "");
    detach();
    expect(readdirSync(join(target.path, ".."))).toEqual(["other"]);
  });

  it("goes when only ours changed in it", () => {
    const { attach, detach, read, write, target } = bench();
    attach();
    write(read().replaceAll("600", "5"));
    expect(detach()).toBe("remove");
    expect(existsSync(target.path)).toBe(false);
  });
});

describe("a whole file of ours", () => {
  it("is written, updated and removed", () => {
    const { attach, detach, read, target } = bench();
    expect(attach(own)).toBe("create");
    expect(JSON.parse(read())).toEqual({ version: 1, hooks: wanted.entries });
    expect(attach(own)).toBe("none");
    expect(attach({ ...own, entries: { Stop: [entry("Stop", 5)] } })).toBe("change");
    expect(JSON.parse(read())).toEqual({ version: 1, hooks: { Stop: [entry("Stop", 5)] } });
    expect(detach()).toBe("remove");
    expect(existsSync(target.path)).toBe(false);
  });

  it("is shared once others have edited it, and is never taken over from others", () => {
    const { attach, detach, read, write } = bench();
    attach(own);
    write(read().replace('"PreToolUse": [', '"PreToolUse": [{"bash": "mine"},'));
    expect(attach(own)).toBe("none");
    expect(detach()).toBe("change");
    expect(JSON.parse(read())).toEqual({ version: 1, hooks: { PreToolUse: [{ bash: "mine" }] } });
    expect(() => attach(own)).toThrow(refused(/not written by Hookline/));
    write("{}");
    expect(() => attach(own)).toThrow(refused(/not written by Hookline/));
  });

  it("stays if it contains a comment or key of another owner", () => {
    for (const more of ['"theirs": 1,', "// theirs\n"]) {
      const { attach, detach, read, write } = bench();
      attach(own);
      write(read().replace("{", `{ ${more}`));
      expect(detach()).toBe("change");
      expect(read().replace(/\s/g, "")).toBe(`{${more}"version":1}`.replace(/\s/g, ""));
    }
  });
});

describe("a file that must not be edited", () => {
  it.each([
    ['{"hooks": []}', /"hooks" is of type array/],
    ['{\n"a": 1,\n}', /line 3, column 1/],
    ["nonsense", /invalid symbol/],
  ])("is left as it is: %s", (text, message) => {
    const { attach, read, folder } = bench(text);
    expect(() => attach()).toThrow(refused(message));
    expect(read()).toBe(text);
    expect(existsSync(folder)).toBe(false);
  });

  const syntaxOf = (id: string) => (findAgent(id) as AgentDefinition).install.file.syntax;

  it("is one that its agent ignores: its entries would never run", () => {
    for (const [agent, text] of [
      ["claude-code", "{} // mine"],
      ["codex", "/* mine */ {}"],
      ["copilot", "\ufeff{}"],
      ["gemini", "\ufeff{}"],
      ["gemini", '{"a": 1,}'],
    ] as const) {
      const { attach, read } = bench(text);
      expect(() => attach({ ...wanted, syntax: syntaxOf(agent) })).toThrow(refused(/cannot be read as its agent would \(line 1/));
      expect(read()).toBe(text);
    }
    bench("{} // mine").attach({ ...wanted, syntax: syntaxOf("gemini") });
    bench("\ufeff{}").attach({ ...wanted, syntax: syntaxOf("claude-code") });
  });

  it("is left when it broke after we wrote, and the record stays", () => {
    const { attach, detach, read, write, folder } = bench("{}");
    attach();
    write(`${read()},`);
    expect(() => detach()).toThrow(refused(/cannot be read/));
    expect(readInstalled(folder)).toHaveLength(1);
  });

  it("is one that others can write or own, or that is not text", () => {
    const { attach, target, write } = bench("{}");
    chmodSync(target.path, 0o666);
    expect(() => attach()).toThrow(refused(/changed by every user/, { fix: { run: expect.stringContaining("chmod o-w") } }));
    chmodSync(target.path, 0o644);
    chmodSync(join(target.path, ".."), 0o777);
    expect(() => attach()).toThrow(refused(/every user may write/));
    chmodSync(join(target.path, ".."), 0o755);
    writeFileSync(target.path, Buffer.from([0x7b, 0xff, 0x7d]));
    expect(() => attach()).toThrow(refused(/not UTF-8/));
    rmSync(target.path);
    mkdirSync(target.path);
    expect(() => attach()).toThrow(refused(/not a file/));
    rmSync(target.path, { recursive: true });
    write("{}");
    if (process.geteuid?.() !== 0) return;
    chownSync(target.path, 12345, 0);
    expect(() => attach()).toThrow(refused(/belongs to user 12345/));
  });

  it("is one that changed between planning and writing", () => {
    const { folder, target, write, read } = bench("{}");
    const plan = planEdit(folder, target, wanted);
    expect(plan.diff).toMatch(/^--- a\/.*\n\+\+\+ b\/.*\n@@ -1,1 \+1,\d+ @@\n-\{\}\n/);
    expect(read()).toBe("{}");
    write("{ }");
    expect(() => applyEdit(folder, plan)).toThrow(refused(/in the meantime/));
    expect(read()).toBe("{ }");
  });

  it("is any, while the record cannot be read", () => {
    const { attach, folder, read } = bench("{}");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, "installed.json"), "{}");
    expect(() => attach()).toThrow(refused(/not a record/));
    expect(read()).toBe("{}");
  });
});

describe("any JSON", () => {
  it("comes back, whatever its layout", () => {
    const { attach, detach, read, write } = bench("{}");
    const document = fc.record(
      { model: fc.jsonValue(), hooks: fc.record({ Stop: fc.array(fc.jsonValue(), { maxLength: 2 }) }, { requiredKeys: [] }) },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(document, fc.constantFrom(undefined, 2, 4, "\t"), fc.constantFrom("", "\n"), (value, indent, end) => {
        const text = JSON.stringify(value, undefined, indent) + end;
        write(text);
        attach();
        expect(JSON.parse(read())).toEqual(
          JSON.parse(
            JSON.stringify({
              ...value,
              hooks: { ...value.hooks, PreToolUse: wanted.entries.PreToolUse, Stop: [...(value.hooks?.Stop ?? []), entry("Stop")] },
            }),
          ),
        );
        detach();
        expect(read()).toBe(text);
      }),
      { numRuns: 60 },
    );
  });
});

it("is refused with an error about the agent's file while another process attaches", () => {
  const { attach, target, folder, detach } = bench("{}");
  attach();
  const other = takeLock(join(folder, "attach.lock"), { busy: () => new HookError("HL_LIMIT", "no other process runs here") });
  expect(() => detach()).toThrow(refused(/another process that attaches or detaches/, { fix: "Run this again." }));
  other.release();
  detach();
  expect(readFileSync(target.path, "utf8")).toBe("{}");
});
