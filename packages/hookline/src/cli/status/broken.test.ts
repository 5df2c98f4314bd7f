import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createHomeInProcess } from "../../../../../test/support/cli-home.js";
import { runAsShown } from "../../../../../test/support/run-as-shown.js";

const rule = (name: string, match: string) => `[[rule]]\nname = "${name}"\nmatch = "${match}"\ndo = "block"\n`;
const CONFIG = "config/hookline/hookline.toml";

function openHome() {
  const home = createHomeInProcess();
  onTestFinished(() => home.close());
  const ask = async <T>(path: string, body?: object): Promise<T> => {
    const { token } = JSON.parse(readFileSync(join(home.state, "operator.json"), "utf8")) as { readonly token: string };
    const { url } = JSON.parse(readFileSync(join(home.state, "hub.json"), "utf8")) as { readonly url: string };
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", connection: "close" };
    const answer = await fetch(url + path, { headers, ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }) });
    return (await answer.json()) as T;
  };
  const decide = (): Promise<{ readonly verdict: string; readonly reason?: string }> =>
    ask("/api/decide", { event: "tool:before", payload: { tool: { name: "Bash", input: { command: "ls" } } } });
  return { ...home, ask, decide };
}

/** What a text tells to run, run. */
async function runCommandIn(text: string | undefined, { run }: Pick<ReturnType<typeof openHome>, "run">): Promise<string> {
  const [, line = ""] = /hookline ([^.]*)$/.exec(text ?? "") ?? [];
  const { out, err } = await run(...line.split(" ").map((word) => word.replaceAll("'", "")));
  return out + err;
}

describe("a rule that is broken when the hub starts", () => {
  it("is shown as broken wherever rules are shown, and the denied agent is told a command that shows the fault", async () => {
    const home = openHome();
    const path = home.write(CONFIG, `${rule("no-rm", "tool.input.command =~ '(('")}${rule("fine", "tool.input.command contains x")}`);
    const fault = `${path}:3:32: "match" is wrong`;
    const effect = "Every call that it might guard is denied until it is fixed.";
    const up = await home.run("up", "--detach", "--port", "0");
    expect([up.code, up.err.match(/"match" is wrong/g)?.length]).toEqual([0, 1]);
    expect(up.err).toContain(effect);

    const { verdict, reason } = await home.decide();
    expect([verdict, reason]).toEqual(["deny", expect.stringContaining(`The rule "no-rm" is broken (${path}:1)`)]);
    expect(await runCommandIn(reason, home)).toContain('"match" is wrong');

    const status = await home.run("status");
    expect(status.out).toMatch(/^rules +1 active, ! 1 broken$/m);
    expect(status.err).toContain(`! The rule "no-rm" is broken: ${fault}`);
    expect(JSON.parse((await home.run("status", "--json")).out)).toMatchObject({
      rules: { active: 1, broken: 1 },
      faults: [
        { kind: "rule", name: "no-rm", state: "broken", file: path, line: 3, denies: true, isEdit: false, run: "hookline rules list" },
      ],
    });

    const list = await home.run("rules", "list");
    expect([list.code, list.out]).toEqual([1, expect.stringMatching(/^no-rm +- +- +- +broken /m)]);
    expect(list.err).toContain(`! no-rm: ${effect}`);
    const { handlers, rules } = await home.ask<{ handlers: object[]; rules: object[] }>("/api/handlers");
    expect(rules).toMatchObject([
      { name: "no-rm", state: "broken" },
      { name: "fine", state: "active", problems: [] },
    ]);
    expect(handlers).toContainEqual(expect.objectContaining({ name: "no-rm (broken)", owner: "rules", health: { state: "broken" } }));

    const selftest = await home.run("selftest");
    expect([selftest.code, selftest.out]).toEqual([1, expect.stringMatching(/^✗ no-rm \(broken\) .* broken /m)]);
    const { checks } = JSON.parse((await home.run("doctor", "--json")).out) as { checks: { id: string; state: string; detail: string }[] };
    expect(checks.find(({ id }) => id === "in-force")).toMatchObject({ state: "fail", detail: expect.stringContaining(fault) });
  });

  it("is in doctor one command for each fault, and never doctor itself", async () => {
    const home = openHome();
    home.write(CONFIG, rule("a", "tool.input.command contains x"));
    await home.run("up", "--detach", "--port", "0");
    const path = home.write(CONFIG, "[[rule");
    await expect.poll(async () => (await home.ask<{ faults: object[] }>("/api/faults")).faults.length).toBe(1);
    const { out } = await home.run("doctor");
    const lines = /^FAIL Every rule and hook is in force.*\n(?: {7}.*\n)+/m.exec(out)?.[0] ?? "";
    expect(lines).toContain(`run: \${EDITOR:-vi} ${path}`);
    expect(lines).not.toContain("hookline doctor");
  });

  it("disappears when it is fixed; an edit that breaks another rule leaves the old version in force, and every command says so", async () => {
    const home = openHome();
    home.write(CONFIG, rule("a", "tool.input.command contains x"));
    await home.run("up", "--detach", "--port", "0");
    home.write(CONFIG, `${rule("a", "tool.input.command contains x")}${rule("b", "((")}`);
    const kept = "The hub keeps the rules and hooks that it had before this edit.";
    const faults = async () => (await home.ask<{ faults: { name: string; effect: string; denies: boolean }[] }>("/api/faults")).faults;
    await expect.poll(faults).toMatchObject([{ name: "b", effect: kept, denies: false, isEdit: true }]);
    expect((await home.decide()).verdict).toBe("pass");
    expect((await home.run("status")).err).toContain(kept);
    const listed = await home.run("rules", "list");
    expect(listed.err).toContain(`! b: ${kept}`);
    expect(listed.err).toMatch(/FIRED counts since the hub started, \S/);
    home.write(CONFIG, "[[rule");
    await expect.poll(faults).toMatchObject([{ kind: "config", name: "hookline.toml", line: 1, effect: kept }]);
    expect((await home.run("status")).out).toMatch(/^rules +1 active, ! hookline\.toml is broken: its last edit is not in force$/m);
    home.write(CONFIG, rule("a", "tool.input.command contains y"));
    await expect.poll(faults).toEqual([]);
    expect((await home.run("status")).out).toMatch(/^rules +1 active$/m);
    expect((await home.run("status")).err).toBe("");
  });

  it("is a hook just as well, and what a project has changed; each with a command that shows it", async () => {
    const home = openHome();
    home.write(
      CONFIG,
      '[[hook]]\nname = "typo"\nevent = "tool:before"\ntols = "x"\ntool = "Nothing"\ncommand = "true"\n[[hook]]\nname = "gone"\nevent = "tool:before"\nmodule = "./gone.mjs"\n',
    );
    home.write("config/hookline/hooks/half/HOOK.yaml", "events: [");
    home.write("config/hookline/hooks/late/HOOK.yaml", "name: late\nevents: [tool:before]\ntimeout: soon\n");
    home.write("project/.hookline/hooks/guard/HOOK.yaml", "name: guard\nevents: [tool:before]\npermissions: [tools.intercept]\n");
    home.write("project/.hookline/hooks/guard/handler.sh", "exit 0\n");
    const project = join(home.folder, "project");
    await runAsShown(home, "hooks", "trust", "guard", "--project", project);
    home.write("project/.hookline/hooks/guard/handler.sh", "exit 1\n");
    await home.run("up", "--detach", "--port", "0");
    const { faults } = await home.ask<{ faults: { name: string; state: string; denies: boolean; run: string }[] }>("/api/faults");
    expect(faults.map(({ name, state, denies }) => [name, state, denies])).toEqual([
      ["typo", "broken", true],
      ["gone", "broken", true],
      ["half", "broken", true],
      ["late", "broken", true],
      ["guard", "modified", true],
    ]);
    const shown = await Promise.all(faults.map(({ run }) => runCommandIn(run, home)));
    expect(shown[0]).toContain('"tols" is not known here');
    expect(shown[1]).toContain("does not exist");
    expect(shown[2]).toContain("HOOK.yaml:1:");
    expect(shown[3]).toContain('"timeout" must be a time');
    expect(shown[4]).toContain("exit 1");
    expect((await home.run("status")).out).toMatch(/^hooks +(?=.*! 4 broken)(?=.*! 1 modified)/m);
  });

  it("is said by `status` where it keeps the hub from starting", async () => {
    const home = openHome();
    const path = home.write(CONFIG, "[[rule");
    expect((await home.run("up", "--detach", "--port", "0")).code).not.toBe(0);
    const { code, out, err } = await home.run("status", "--json");
    expect([code, JSON.parse(out)]).toMatchObject([4, { running: false, problems: [expect.stringContaining(`${path}:1:`)] }]);
    expect(err).toContain("The hub does not start until this is fixed.");
    expect(err).toContain(`Run: \${EDITOR:-vi} ${path}\n`);
  });
});
