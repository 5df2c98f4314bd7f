import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

interface Step {
  readonly uses?: string;
  readonly run?: string;
}

interface Workflow {
  readonly permissions?: unknown;
  readonly jobs: {
    readonly [name: string]: { readonly permissions?: { readonly [scope: string]: string }; readonly steps: readonly Step[] };
  };
}

const ROOT = new URL("../../.github/", import.meta.url);
const textOf = (path: string): string => readFileSync(new URL(path, ROOT), "utf8");
const files = globSync("**/*.yml", { cwd: ROOT });

describe("workflows and actions", () => {
  it("name every action by its digest, and install no latest version of anything", () => {
    const texts = files.map((file) => [file, textOf(file)] as const);
    expect(texts.length).toBeGreaterThan(3);
    const used = texts.flatMap(([file, text]) => Array.from(text.matchAll(/uses: (.*)/g), ([, action = ""]) => `${file}: ${action}`));
    expect(used.length).toBeGreaterThan(10);
    expect(used.filter((action) => !/: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([]);
    expect(texts.filter(([, text]) => text.includes("@latest")).map(([file]) => file)).toEqual([]);
  });

  it("give each job only the rights it needs", () => {
    const rights = files
      .filter((file) => file.startsWith("workflows"))
      .flatMap((file) => {
        const { permissions, jobs } = parse(textOf(file)) as Workflow;
        return Object.entries(jobs).map(([job, own]) => [file.replace("workflows/", ""), job, own.permissions ?? permissions]);
      });
    expect(rights.filter(([, , given]) => JSON.stringify(given) !== '{"contents":"read"}')).toEqual([
      ["release.yml", "publish", { "id-token": "write" }],
      ["release.yml", "announce", { contents: "write" }],
    ]);
  });

  it("run nothing of the repository, and nothing that is installed, where they may publish", () => {
    const { jobs } = parse(textOf("workflows/release.yml")) as Workflow;
    for (const job of ["publish", "announce"])
      expect(
        jobs[job]?.steps.filter(({ uses, run }) => /checkout/.test(uses ?? "") || /npm (ci|install|test|run)|node /.test(run ?? "")),
      ).toEqual([]);
  });

  it.each([
    ["pull_request", 0, ""],
    ["pull_request_target", 1, "::error::"],
    ["workflow_run", 0, "::warning::"],
  ])("try the rules on %s: exit code %i", (event, status, said) => {
    const { runs } = parse(textOf("actions/rules/action.yml")) as { readonly runs: { readonly steps: readonly Step[] } };
    const told = spawnSync("bash", ["-e", "-c", runs.steps[0]?.run ?? ""], {
      env: { ...process.env, GITHUB_EVENT_NAME: event },
      encoding: "utf8",
    });
    expect([told.status, told.stdout.startsWith(said), told.stdout === ""]).toEqual([status, true, said === ""]);
  });
});
