import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type CliHome, createHomeInProcess } from "../../../../../test/support/cli-home.js";
import { startOnTerminal } from "../../../../../test/support/on-terminal.js";

const CALL = '{"tool":{"name":"Bash","input":{"command":"ls"}}}';

describe("hookline policy accept", () => {
  let home: CliHome;
  const plant = (reason: string) => {
    home.write("config/hookline/hooks/g/HOOK.yaml", "name: g\nevents: [tool:before]\nonFailure: closed\n");
    home.write("config/hookline/hooks/g/handler.mjs", `export const handle = () => ({ block: "${reason}" });\n`);
  };
  const asked = async () => (await home.run("emit", "tool:before", "--decide", "--payload", CALL)).out.trim();
  const shownDigest = async () => {
    const { changes } = JSON.parse((await home.run("policy", "diff", "--json")).out) as { changes: { digest: string }[] };
    return changes[0]?.digest ?? "";
  };
  let version = 0;

  beforeAll(async () => {
    home = createHomeInProcess();
    home.write("config/hookline/hookline.toml", "");
    plant("v0");
    expect((await home.run("up", "--detach", "--port", "0")).code).toBe(0);
    expect(await asked()).toContain("v0");
  });
  beforeEach(() => plant(`v${++version}`));
  afterAll(() => home.close());

  it("without a terminal needs the digest of what was shown, and prints the command with it", async () => {
    const inForce = await asked();
    const refused = await home.run("policy", "accept", "g");
    expect(refused).toMatchObject({
      code: 2,
      out: expect.stringContaining(`v${version}`),
      err: expect.stringContaining("no terminal to ask at"),
    });
    expect(await asked()).toBe(inForce);
    const diff = await home.run("policy", "diff");
    const [, command = "", digest = ""] = /To accept one: hookline (policy accept g --digest ([0-9a-f]{64}))/.exec(diff.err) ?? [];
    expect([refused.err.includes(command), (await shownDigest()).startsWith(digest)]).toEqual([true, true]);
    expect(await home.run("policy", "accept", "g", "--digest", digest)).toMatchObject({ code: 0 });
    expect(await asked()).toContain(`v${version}`);
  });

  it("refuses what changed after it was shown, says so, and shows it as it is now", async () => {
    const inForce = await asked();
    const digest = await shownDigest();
    plant("changed meanwhile");
    const { code, out, err } = await home.run("policy", "accept", "--all", "--digest", digest);
    expect([code, out]).toEqual([1, expect.stringContaining("changed meanwhile")]);
    expect(err).toMatch(/"g" is not what was shown, so nothing was accepted(.|\n)*Run: hookline policy accept --all --digest [0-9a-f]{64}/);
    expect(await asked()).toBe(inForce);
    // A program that writes both contents can make fewer digits agree: 12 in seconds.
    expect(await home.run("policy", "accept", "g", "--digest", (await shownDigest()).slice(0, 12))).toMatchObject({ code: 1 });
  });

  it("asks at a terminal, and refuses what changed while the person looked", async () => {
    const inForce = await asked();
    const looks = startOnTerminal(home, ["policy", "accept", "g"]);
    await looks.shows("Put 1 change into force, as shown? [y/N] ");
    plant("while the person looked");
    looks.press("y");
    expect([await looks.ended, looks.out]).toEqual([1, expect.stringContaining("is not what was shown")]);
    expect(await asked()).toBe(inForce);
    const no = startOnTerminal(home, ["policy", "accept", "g"]);
    await no.shows("[y/N] ");
    no.press("n");
    expect([await no.ended, await asked()]).toEqual([1, inForce]);
    const yes = startOnTerminal(home, ["policy", "accept", "g"]);
    await yes.shows("[y/N] ");
    yes.press("y");
    expect([await yes.ended, await asked()]).toEqual([0, expect.stringContaining("while the person looked")]);
  });

  it("is refused by the hub itself where nothing says what was shown, or something else was", async () => {
    const { token } = JSON.parse(readFileSync(join(home.state, "operator.json"), "utf8")) as { readonly token: string };
    const { url } = JSON.parse(readFileSync(join(home.state, "hub.json"), "utf8")) as { readonly url: string };
    const post = async (change: object) => {
      const body = JSON.stringify({ changes: [{ id: "hook:hooks/g", ...change }] });
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const answer = await fetch(new URL("/api/policy/accept", url), { method: "POST", headers, body });
      const { error } = (await answer.json()) as { readonly error?: { readonly code: string; readonly message: string } };
      return [answer.status, error?.code, error?.message];
    };
    const inForce = await asked();
    const digest = await shownDigest();
    expect(await post({})).toEqual([400, "HL_BAD_REQUEST", expect.stringContaining("digest")]);
    expect((await post({ digest: digest.slice(0, 12) }))[0]).toBe(400);
    expect((await post({ set: { enabled: true } })).slice(0, 2)).toEqual([409, "HL_NOT_SHOWN"]);
    plant("another");
    expect(await post({ digest })).toEqual([409, "HL_NOT_SHOWN", expect.stringContaining('Now: the hook "g" was changed.')]);
    expect(await asked()).toBe(inForce);
  });

  it("is not a side effect of trying a hook", async () => {
    const inForce = await asked();
    expect(await home.run("hooks", "test", "g")).toMatchObject({ code: 3, err: expect.stringContaining("hookline policy accept g") });
    expect(await asked()).toBe(inForce);
    expect(existsSync(join(home.state, "policy.json"))).toBe(true);
  });
});
