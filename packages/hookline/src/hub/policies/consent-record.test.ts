import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { denying } from "../../../../../test/support/hook-files.js";
import { decideIn, projectGuard, projectHome } from "../../../../../test/support/project-hub.js";

const soon = { timeout: 15_000 };

describe("a record of consent", () => {
  const damages: [what: string, damage: (path: string) => void][] = [
    ["is no JSON", (path) => writeFileSync(path, "{")],
    ["is JSON of another kind", (path) => writeFileSync(path, '{"consents":[{"project":1}],"reviewed":{}}')],
    ["is open to others", (path) => chmodSync(path, 0o666)],
    ["is gone", (path) => rmSync(path)],
  ];

  it.each(damages)("that %s while the hub runs opens nothing, adds nothing, and counts again when it is mended", async (_, damage) => {
    const home = projectHome({ ...projectGuard("guard"), ...projectGuard("later", denying("later")) });
    const record = join(home.state, "trust.json");
    home.consent("guard");
    const hub = await home.start();
    expect(await decideIn(hub, home.project)).toMatchObject({ reason: "guard says no" });
    const good = readFileSync(record);
    damage(record);
    await expect.poll(() => home.problems.join("\n"), soon).toContain("The hooks of projects stay as they were");
    expect(await decideIn(hub, home.project)).toMatchObject({ verdict: "deny", reason: "guard says no" });
    expect(hub.parts.bus.list().map(({ name }) => name)).toEqual(["proj/guard"]);
    rmSync(record, { force: true });
    writeFileSync(record, good, { mode: 0o600 });
    home.consent("later");
    await expect.poll(() => hub.parts.bus.list().map(({ name }) => name), soon).toEqual(["proj/guard", "proj/later"]);
    home.revoke("guard");
    await expect.poll(() => decideIn(hub, home.project), soon).toMatchObject({ reason: "later" });
  });

  it("that cannot be read when the hub starts is said, trusts nothing, and counts when it is mended", async () => {
    const home = projectHome(projectGuard("guard"));
    const record = join(home.state, "trust.json");
    home.consent("guard");
    const good = readFileSync(record);
    writeFileSync(record, "{");
    const hub = await home.start();
    expect(home.problems.join()).toContain(`The record of consent "${record}" cannot be used`);
    expect(hub.parts.bus.list()).toEqual([]);
    writeFileSync(record, good);
    await expect.poll(() => decideIn(hub, home.project), soon).toMatchObject({ reason: "guard says no" });
  });
});
