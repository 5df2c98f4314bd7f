import { describe, expect, it, onTestFinished } from "vitest";
import { createHomeInProcess } from "../../../../../test/support/cli-home.js";
import { runAsShown } from "../../../../../test/support/run-as-shown.js";

const CONFIG = "config/hookline/hookline.toml";
const rule = (name: string, action: string) => `[[rule]]\nname = "${name}"\ndo = "${action}"\nmessage = "m"\n`;
const HOOK = "config/hookline/hooks/planted";

function openHome() {
  const home = createHomeInProcess();
  onTestFinished(() => home.close());
  const plant = (reason: string) => {
    home.write(`${HOOK}/HOOK.yaml`, "name: planted\nevents: [tool:before]\nonFailure: closed\n");
    home.write(`${HOOK}/handler.mjs`, `export const handle = () => ({ block: "${reason}" });\n`);
  };
  const asks = async () =>
    (await home.run("emit", "tool:before", "--decide", "--payload", '{"tool":{"name":"Bash","input":{"command":"ls"}}}')).out.trim();
  const changes = async (): Promise<string[]> =>
    (JSON.parse((await home.run("policy", "diff", "--json")).out) as { changes: { id: string }[] }).changes.map(({ id }) => id);
  const states = async (): Promise<string[]> =>
    (JSON.parse((await home.run("hooks", "list", "--json")).out) as { name: string; state: string }[]).map(
      ({ name, state }) => `${name} ${state}`,
    );
  return { ...home, plant, asks, changes, states };
}

describe("hookline policy", () => {
  it("shows what waits wherever hooks are shown, starts none of it, and accepts what is named", async () => {
    const home = openHome();
    home.write(CONFIG, "");
    await home.run("up", "--detach", "--port", "0");
    expect(await home.run("policy", "diff")).toMatchObject({ code: 0, err: expect.stringContaining("Nothing waits") });
    home.plant("one");
    const diff = await home.run("policy", "diff");
    expect([diff.code, diff.out]).toEqual([1, expect.stringMatching(/^CODE hook planted: (.|\n)*block: "one"/)]);
    expect(await home.states()).toEqual(["planted waiting"]);
    expect((await home.run("status")).err).toContain("hookline policy accept planted");
    expect((await home.run("doctor", "--json")).out).toContain("waits for acceptance");
    expect((await home.run("hooks", "doctor")).out).toMatch(/^FAIL planted: .*\n {5}run: hookline policy accept planted$/m);
    expect((await home.run("hooks", "doctor")).out).toContain("planted");
    expect(await home.asks()).toMatch(/pass/);
    expect((await home.run("policy", "accept", "plantd")).err).toContain('Did you mean "planted"?');
    expect((await home.run("policy", "accept")).code).toBe(2);
    expect(await runAsShown(home, "policy", "accept", "planted")).toMatchObject({
      code: 0,
      err: expect.stringContaining("1 change accepted"),
    });
    expect(await home.asks()).toContain("one");
    expect(await home.states()).toEqual(["planted active"]);
  });

  it("is not needed for what the operator makes with Hookline's own commands, with and without a hub", async () => {
    const home = openHome();
    home.write(CONFIG, `${rule("no", "block")}${rule("yes", "allow")}`);
    await home.run("up", "--detach", "--port", "0");
    await home.run("hooks", "new", "made");
    expect([await home.changes(), await home.states()]).toEqual([[], ["made active"]]);
    home.plant("two");
    expect(await home.changes()).toEqual(["hook:hooks/planted"]);
    expect((await home.run("hooks", "test", "planted")).err).toContain("hookline policy accept planted");
    expect(await home.changes()).toEqual(["hook:hooks/planted"]);
    await runAsShown(home, "policy", "accept", "planted");
    expect([await home.changes(), await home.states()]).toEqual([[], ["made active", "planted active"]]);
    await home.run("rules", "disable", "no");
    await home.run("hooks", "disable", "made");
    await home.run("down");

    home.plant("three");
    expect([await home.changes(), await home.states()]).toEqual([["hook:hooks/planted"], ["made disabled", "planted waiting"]]);
    await runAsShown(home, "policy", "accept", "planted");
    await home.run("rules", "disable", "yes");
    expect(await home.changes()).toEqual([]);
    await home.run("up", "--detach", "--port", "0");
    expect(await home.asks()).toContain("three");
    const { out } = await home.run("alarms", "--json");
    expect(JSON.parse(out)).toMatchObject({ alarms: [], waiting: 0 });
  });
});
