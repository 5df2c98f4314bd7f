import { chmodSync, existsSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { denying, hookYaml } from "../../../../../test/support/hook-files.js";
import { decideIn, IN_HOOKS, type ProjectHome, projectGuard, projectHome } from "../../../../../test/support/project-hub.js";
import { removeFolder } from "../../../../../test/support/remove-folder.js";

const soon = { timeout: 60_000 };

/** Changes a file of the only copy, and puts back its size and its time where it can. */
function tamper({ state }: ProjectHome, file: string, text: string): void {
  const [copy = ""] = readdirSync(join(state, "trusted"));
  const path = join(state, "trusted", copy, file);
  const { atime, mtime, size } = statSync(path);
  chmodSync(path, 0o600);
  writeFileSync(path, text.padEnd(size));
  utimesSync(path, atime, mtime);
  chmodSync(path, 0o400);
}

const evil = (home: ProjectHome) => join(home.home, "evil");
const kinds = [
  [
    "a module",
    projectGuard("guard"),
    "handler.mjs",
    (mark: string) =>
      `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(mark)}, ""); export const handle = () => {};`,
  ],
  [
    "a shell script",
    {
      [`${IN_HOOKS}/guard/HOOK.yaml`]: hookYaml("guard", "permissions: [tools.intercept]\n"),
      [`${IN_HOOKS}/guard/handler.sh`]: `echo '{"decision":"deny","reason":"guard says no"}' # ${" ".repeat(200)}\n`,
    },
    "handler.sh",
    (mark: string) => `touch ${mark}\n`,
  ],
] as const;

describe.each(kinds)("the trusted copy of %s", (_, files, file, script) => {
  it("does not run once it was changed, from the first event on, and what it guards is denied", async () => {
    const home = projectHome(files);
    home.consent("guard");
    const hub = await home.start();
    tamper(home, file, script(evil(home)));
    // Whether or not the hub has noticed by now.
    for (let i = 0; i < 3; i++) expect(await decideIn(hub, home.project)).toMatchObject({ verdict: "deny", by: "proj/guard" });
    await expect.poll(() => home.problems.join("\n"), soon).toContain("is missing or was changed");
    expect(await decideIn(hub, home.project)).toMatchObject({ verdict: "deny", reason: expect.stringContaining("hookline hooks trust") });
    expect(await decideIn(hub, "/")).toMatchObject({ verdict: "pass" });
    expect(existsSync(evil(home))).toBe(false);
    home.consent("guard");
    await expect.poll(() => decideIn(hub, home.project), soon).toMatchObject({ reason: "guard says no" });
    expect(existsSync(evil(home))).toBe(false);
  });

  it("does not run in a hub that starts after it was changed or removed, which denies in that project", async () => {
    const home = projectHome(files);
    home.consent("guard");
    tamper(home, file, script(evil(home)));
    const first = await home.start();
    expect(await decideIn(first, home.project)).toMatchObject({ verdict: "deny", by: "proj/guard" });
    expect(await decideIn(first, "/")).toMatchObject({ verdict: "pass" });
    await first.close();
    removeFolder(join(home.state, "trusted"));
    const second = await home.start();
    expect(await decideIn(second, home.project)).toMatchObject({ verdict: "deny", by: "proj/guard" });
    expect(existsSync(evil(home))).toBe(false);
  });
});

describe("the trusted copy of a project's rules", () => {
  it("denies what they might have been about when it is gone, and a hook that only watches does not", async () => {
    const home = projectHome({ ".hookline/hookline.toml": '[[rule]]\nname = "r"\nmatch = "tool.name is x"\ndo = "block"\n' });
    home.consent("hookline.toml");
    removeFolder(join(home.state, "trusted"));
    const hub = await home.start();
    expect(await decideIn(hub, home.project)).toMatchObject({ verdict: "deny", by: "proj/hookline.toml" });
    expect(await decideIn(hub, "/")).toMatchObject({ verdict: "pass" });
    await hub.close();

    const watch = projectHome({
      [`${IN_HOOKS}/watch/HOOK.yaml`]: "name: watch\nevents: [tool:after]\npermissions: [tools.observe]\n",
      [`${IN_HOOKS}/watch/handler.mjs`]: denying("x"),
    });
    watch.consent("watch");
    removeFolder(join(watch.state, "trusted"));
    expect(await decideIn(await watch.start(), watch.project)).toMatchObject({ verdict: "pass" });
  });
});
