import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { denying } from "../../../../../test/support/hook-files.js";
import { decideIn, projectGuard, projectHome } from "../../../../../test/support/project-hub.js";

const soon = { timeout: 60_000 };

describe("a record of consent", () => {
  const damages: [what: string, damage: (path: string) => void][] = [
    ["is not JSON", (path) => writeFileSync(path, "{")],
    ["is JSON of another kind", (path) => writeFileSync(path, '{"consents":[{"project":1}],"reviewed":{}}')],
    ["is open to others", (path) => chmodSync(path, 0o666)],
    ["is gone", (path) => rmSync(path)],
  ];

  it.each(damages)("that %s while the hub runs opens nothing, adds nothing, and counts again when it is fixed", async (_, damage) => {
    const home = projectHome({ ...projectGuard("guard"), ...projectGuard("later", denying("later")) });
    const [record, backup] = [join(home.state, "trust.json"), join(home.state, "trust.json.bak")];
    home.consent("guard");
    const hub = await home.start();
    expect(await decideIn(hub, home.project)).toMatchObject({ reason: "guard says no" });
    const good = readFileSync(record);
    damage(record);
    await expect.poll(() => home.problems.join("\n"), soon).toContain("Its backup is used until the record is fixed");
    expect(JSON.stringify(hub.parts.faults())).toContain("Its backup is used");
    damage(backup);
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

  it("that cannot be read when the hub starts is said, and its backup counts", async () => {
    const home = projectHome(projectGuard("guard"));
    const record = join(home.state, "trust.json");
    home.consent("guard");
    writeFileSync(record, "{");
    const hub = await home.start();
    expect(home.problems.join()).toContain(`The record of consent "${record}" cannot be used: it is not JSON. Its backup is used`);
    expect(await decideIn(hub, home.project)).toMatchObject({ reason: "guard says no" });
  });

  it("that cannot be read when the hub starts, nor its backup, closes every project with hooks until it is fixed", async () => {
    const home = projectHome(projectGuard("guard"));
    const [record, backup] = [join(home.state, "trust.json"), join(home.state, "trust.json.bak")];
    home.consent("guard");
    const good = readFileSync(record);
    for (const path of [record, backup]) writeFileSync(path, "{");
    const hub = await home.start();
    const reason = expect.stringContaining(`rm -f '${record}' '${backup}'`);
    expect(await decideIn(hub, home.project)).toMatchObject({ verdict: "deny", reason });
    expect(await decideIn(hub, join(home.home, "other"))).toMatchObject({ verdict: "pass" });
    expect(home.problems.join()).toContain("rm -f");
    expect(JSON.stringify(hub.parts.faults())).toContain("rm -f");
    expect(await hub.parts.selftest(new AbortController().signal)).toMatchObject({
      ok: false,
      guards: [{ name: "trust.json", state: "failed closed" }],
    });
    writeFileSync(record, good);
    await expect.poll(() => decideIn(hub, home.project), soon).toMatchObject({ reason: "guard says no" });
    expect(await hub.parts.selftest(new AbortController().signal)).toMatchObject({ ok: true });
    expect(readFileSync(backup)).toEqual(good);
  });

  it("that an older version wrote gets a backup", async () => {
    const home = projectHome(projectGuard("guard"));
    home.consent("guard");
    rmSync(join(home.state, "trust.json.bak"));
    await home.start();
    expect(readFileSync(join(home.state, "trust.json.bak"))).toEqual(readFileSync(join(home.state, "trust.json")));
  });
});
