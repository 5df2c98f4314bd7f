import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CliHome, createCliHome } from "../../../../../test/support/cli-home.js";
import { decideWaiting } from "../../../../../test/support/decide-waiting.js";
import { startOnTerminal } from "../../../../../test/support/on-terminal.js";

const PASSPHRASE = "correct horse battery staple";
const OTHER = "a quite different passphrase";
const RULE = `
[[rule]]
name = "pushes"
event = "tool:before"
match = "tool.input.command contains 'git push'"
do = "ask"
message = "A push leaves this machine."
`;

describe.skipIf(process.platform !== "linux")("hookline protect", () => {
  let home: CliHome;
  let code = "";
  const at = (...args: string[]) => startOnTerminal(home, args);

  beforeAll(async () => {
    home = createCliHome();
    home.write("config/hookline/hookline.toml", RULE);
    expect((await home.run("up", "--detach", "--port", "0")).code).toBe(0);
  });
  afterAll(async () => {
    const { pid } = JSON.parse(readFileSync(join(home.state, "hub.json"), "utf8"));
    process.kill(pid, "SIGTERM");
    await home.close();
  });

  /** Types a new passphrase, and shows that the code was kept. */
  async function enrol(screen: ReturnType<typeof at>, passphrase: string): Promise<string> {
    await screen.shows("New passphrase: ");
    screen.press(`${passphrase}\r`);
    await screen.shows("The same again: ");
    screen.press(`${passphrase}\r`);
    await screen.shows("Type its last four characters: ");
    const shown = screen.out.match(/([0-9A-Z]{4}-){7}[0-9A-Z]{4}/g)?.at(-1) ?? "";
    screen.press(`${shown.slice(-4).toLowerCase()}\r`);
    return shown;
  }

  async function typed(passphrase: string, ...args: string[]) {
    const screen = at(...args);
    await screen.shows("Passphrase: ");
    screen.press(`${passphrase}\r`);
    return { code: await screen.ended, out: screen.out };
  }

  it("is off at first, and says what that means and what to do", async () => {
    const { code, out, err } = await home.run("protect");
    expect([code, out]).toEqual([0, expect.stringContaining("Any program under your account can approve calls")]);
    expect(err).toContain("hookline protect on");
    expect((await home.run("status")).out).toContain("mode      plain");
    expect((await home.run("doctor")).out).toContain("Any program under your account can approve calls");
    const piped = await home.runWith({ input: `${PASSPHRASE}\n${PASSPHRASE}\n` }, "protect", "on");
    expect([piped.code, piped.err]).toEqual([1, expect.stringContaining("this process has no terminal")]);
  });

  it("refuses codes of an app in plain mode before it shows a secret", async () => {
    const screen = at("protect", "totp");
    expect([await screen.ended, screen.out]).toEqual([1, expect.stringContaining("Run: hookline protect on")]);
    expect(screen.out).not.toContain("otpauth:");
  });

  it("is turned on at a terminal, which shows neither the passphrase nor the code to a pipe", async () => {
    const screen = at("protect", "on");
    await screen.shows("New passphrase: ");
    screen.press("too short\r");
    await screen.shows("at least 14 characters");
    code = await enrol(screen, PASSPHRASE);
    expect(await screen.ended).toBe(0);
    expect(screen.out).not.toContain(PASSPHRASE);
    expect((await home.run("status")).out).toContain("mode      protect");
    expect((await home.run("protect", "status")).out).toContain("passphrase set");
    const kept = readFileSync(join(home.state, "protect.json"), "utf8");
    for (const secret of [PASSPHRASE, code, code.replaceAll("-", "")]) expect(kept).not.toContain(secret);
  });

  it("asks on the terminal before anything operates, shows exactly what is allowed, and ignores pipes", async () => {
    const piped = await home.runWith({ input: `${PASSPHRASE}\n` }, "pause", "--for", "1m");
    expect([piped.code, piped.err]).toEqual([1, expect.stringContaining("this process has no terminal")]);
    expect(piped.err).toContain("hookline open --approve");
    const wrong = at("pause", "--for", "5m");
    await wrong.shows("allows exactly this:");
    await wrong.shows("Pause the hub's guards for 5 minutes");
    for (let tries = 0; tries < 3; tries++) {
      await wrong.shows("Passphrase: ");
      wrong.press("not this one\r");
    }
    expect([await wrong.ended, wrong.out]).toEqual([1, expect.stringContaining("hookline protect recover")]);
    const cancelled = at("pause", "--for", "5m");
    await cancelled.shows("Passphrase: ");
    cancelled.press("\x03");
    expect(await cancelled.ended).toBe(1);
    expect((await home.run("alarms")).out).not.toContain("confirmation was refused");
    expect((await typed(PASSPHRASE, "pause", "--for", "5m")).code).toBe(0);
    expect((await typed(PASSPHRASE, "resume")).code).toBe(0);
  });

  it("asks before the command line changes a file itself, in the words of the command", async () => {
    const rules = join(home.folder, "config/hookline/hookline.toml");
    const before = readFileSync(rules, "utf8");
    for (const args of [
      ["rules", "disable", "pushes"],
      ["attach", "claude-code"],
      ["hooks", "new", "mine"],
    ])
      expect([args, (await home.run(...args)).code]).toEqual([args, 1]);
    expect(readFileSync(rules, "utf8")).toBe(before);
    expect((await home.run("attach", "claude-code", "--dry-run")).code).toBe(0);
    const { code, out } = await typed(PASSPHRASE, "rules", "disable", "pushes");
    expect([code, out]).toEqual([0, expect.stringContaining("hookline rules disable pushes")]);
    expect(readFileSync(rules, "utf8")).not.toBe(before);
    expect((await typed(PASSPHRASE, "rules", "enable", "pushes")).code).toBe(0);
  });

  it("records with which factor a person approved", async () => {
    const asking = decideWaiting(home, "git push");
    await expect.poll(async () => (await home.run("approvals")).out).toContain("git push");
    const [, id = ""] = /waits\s+(\S+),/.exec((await home.run("approvals")).out) ?? [];
    const { code, out } = await typed(PASSPHRASE, "approve", id);
    expect([code, out]).toEqual([0, expect.stringContaining('Bash {"command":"git push"}')]);
    expect(await asking).toMatchObject({ verdict: "allow", actor: { kind: "person" } });
    const { out: replied } = await home.run("tail", "--event", "permission:replied", "--json", "--no-follow");
    expect(replied).toContain('"factor":"passphrase"');
  });

  it("asks for the passphrase again for each answer in hookline top", async () => {
    const top = at("top");
    for (const command of ["git push one", "git push two"]) {
      const asking = decideWaiting(home, command);
      await top.shows("WAITING FOR YOU: 1");
      top.press("a");
      await top.shows("Approve this call?");
      top.press("y");
      await top.shows("Passphrase: ");
      top.press(`${PASSPHRASE}\r`);
      expect(await asking).toMatchObject({ verdict: "allow", actor: { kind: "person" } });
      await top.shows("WAITING FOR YOU: 0");
    }
    top.press("q");
    expect(await top.ended).toBe(0);
  });

  it("is recovered with the code, once", async () => {
    for (const attempt of [1, 2]) {
      const screen = at("protect", "recover");
      await screen.shows("Old recovery code: ");
      expect(screen.out).not.toContain("New passphrase");
      screen.press(`${code.toLowerCase().replaceAll("-", " ")}\r`);
      if (attempt === 1) {
        const next = await enrol(screen, OTHER);
        expect(screen.out).toContain("Your new recovery code");
        expect(await screen.ended).toBe(0);
        expect(next).not.toBe(code);
      } else {
        await screen.shows("That is not the old recovery code.");
        await screen.shows("Old recovery code: ");
        screen.press("\x03");
        expect(await screen.ended).toBe(1);
      }
    }
    expect((await typed(OTHER, "resume")).code).toBe(0);
  });

  it("without a hub, what operates on files is refused and says to start one", async () => {
    expect((await typed(OTHER, "down")).code).toBe(0);
    const { code, err } = await home.run("rules", "disable", "pushes");
    expect([code, err]).toEqual([1, expect.stringContaining("hookline up --detach")]);
    rmSync(join(home.state, "protect.json"));
    expect((await home.run("up", "--detach", "--port", "0")).code).toBe(0);
    const { out } = await home.run("protect");
    expect(out).toContain("was removed while the hub was stopped");
  });
});
