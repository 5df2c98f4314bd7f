import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type CliHome, createHomeInProcess } from "../../../../test/support/cli-home.js";

// Types the command that an error suggests, and checks that it fixes the error. What is typed runs in processes.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 60_000 });
let home: CliHome;
beforeEach(() => {
  home = createHomeInProcess();
});
afterEach(() => home.close());

const up = () => home.run("up", "--detach", "--port", "0");

/** What stands behind `Run:`, in an error or in its middle. */
function nextIn(text: string): string {
  const [, next] = /Run: (.*?)\.?$/m.exec(text) ?? [];
  expect(next, text).toBeDefined();
  // A placeholder cannot be typed: a shell takes it for a file.
  expect(next).not.toMatch(/[<>]/);
  return next ?? "";
}

function type(command: string, cwd = home.folder) {
  const { status, stdout, stderr } = spawnSync("sh", ["-c", command], { env: { ...home.env, EDITOR: "true" }, cwd, encoding: "utf8" });
  return { code: status, out: stdout, err: stderr };
}

async function fixOf(id: string): Promise<string> {
  const { checks } = JSON.parse((await home.run("doctor", "--json")).out) as { checks: { id: string; state: string; fix: string }[] };
  const check = checks.find((one) => one.id === id);
  expect(check?.state).toMatch(/fail|warn/);
  return check?.fix ?? "";
}

async function isOk(id: string): Promise<boolean> {
  const { checks } = JSON.parse((await home.run("doctor", "--json")).out) as { checks: { id: string; state: string }[] };
  return checks.find((one) => one.id === id)?.state === "ok";
}

describe("the way out of a hub that cannot be asked", () => {
  const operator = () => join(home.state, "operator.json");
  const breaks: readonly (readonly [string, string, () => void])[] = [
    ["without the operator's token", "operator-file", () => rmSync(operator())],
    [
      "with another hub's token",
      "operator-file",
      () => writeFileSync(operator(), readFileSync(operator(), "utf8").replace(/"instance":"\w+"/, '"instance":"aaaaaaaaaa"')),
    ],
  ];

  it.each(breaks)("%s works: of the error, and of doctor", async (_, check, damage) => {
    expect(await up()).toMatchObject({ code: 0 });
    damage();
    const fix = await fixOf(check);
    const { code, err } = await home.run("status");
    expect(code).not.toBe(0);
    expect([fix, "hookline doctor"]).toContain(nextIn(err));
    expect(type(fix)).toMatchObject({ code: 0 });
    expect(await home.run("status")).toMatchObject({ code: 0 });
    expect(await isOk(check)).toBe(true);
  });
});

it.skipIf(process.platform === "win32")(
  "is one command for status, up, down and doctor if a hub cannot make its lost socket again",
  async () => {
    expect(await up()).toMatchObject({ code: 0 });
    const { pid } = JSON.parse(readFileSync(join(home.state, "hub.json"), "utf8"));
    // A hub that is stopped cannot make the socket again.
    process.kill(pid, "SIGSTOP");
    rmSync(join(home.folder, "run", "hookline", "http.sock"));
    const fix = await fixOf("hub-answers");
    const runs = await Promise.all([home.run("status"), home.run("up", "--detach"), home.run("down")]);
    expect(runs.map(({ err }) => nextIn(err))).toEqual([fix, fix, fix]);
    expect(fix).toBe("hookline down --force; hookline up --detach");
    expect(type(fix)).toMatchObject({ code: 0 });
    expect(await home.run("status")).toMatchObject({ code: 0 });
  },
);

describe("the way out of a start that failed", () => {
  it("is a file where none was", async () => {
    const { code, err } = await home.run("up", "--detach", "--port", "0", "--config", "mine.toml");
    expect(code).toBe(1);
    expect(type(nextIn(err))).toMatchObject({ code: 0 });
    expect(await home.run("up", "--detach", "--port", "0", "--config", "mine.toml")).toMatchObject({ code: 0 });
  });

  it("is an editor where the file is not TOML", async () => {
    const path = home.write("config/hookline/hookline.toml", "foo = [\n");
    for (const argv of [["up", "--detach"], ["up"], ["rules", "list"], ["rules", "test"], ["rules", "add", "git-history"], ["selftest"]]) {
      const { code, err } = await home.run(...argv);
      expect([code, nextIn(err)]).toEqual([1, `\${EDITOR:-vi} ${path}`]);
    }
  });

  it.skipIf(process.platform === "win32")("is chmod where every user may write to the file", async () => {
    const path = home.write("config/hookline/hookline.toml", "");
    chmodSync(path, 0o666);
    for (const argv of [["up", "--detach"], ["status"]])
      expect(nextIn((await home.run(...argv)).err.split("\n").at(-2) ?? "")).toBe(`chmod o-w ${path}`);
    expect(await fixOf("config")).toBe(`chmod o-w ${path}`);
    expect(type(await fixOf("config"))).toMatchObject({ code: 0 });
    expect(await isOk("config")).toBe(true);
  });

  it("is another port, or another address, whichever is at fault", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const { port } = server.address() as { port: number };
      const taken = await home.run("up", "--detach", "--port", String(port));
      expect(taken).toMatchObject({ code: 1, err: expect.stringContaining("--port 0 for any") });
      // The doctor would find nothing.
      expect(taken.err).not.toContain("doctor");
      expect(type(nextIn(taken.err))).toMatchObject({ code: 0 });
      expect(await home.run("down")).toMatchObject({ code: 0 });
    } finally {
      server.close();
    }
    const { code, err } = await home.run("up", "--detach", "--host", "192.0.2.1", "--port", "0");
    expect([code, err]).toEqual([1, expect.stringContaining("Give --host an address of this machine")]);
    expect(err).not.toContain("--port 0 for any");
    expect(err).not.toContain("Careful");
  });

  it("is not given for options that a running hub does not take", async () => {
    expect(await up()).toMatchObject({ code: 0 });
    const { code, err } = await home.run("up", "--detach", "--host", "192.0.2.1", "--remote-approvals");
    expect([code, err]).toEqual([0, expect.stringContaining("hookline down; hookline up --host 192.0.2.1 --remote-approvals\n")]);
    expect(err).not.toContain("Careful");
  });
});

describe("rules in a file of another name", () => {
  it("go where init said, and are tried there", async () => {
    const next = (text: string) => /(?:Next|To try them): (.*)$/m.exec(text)?.[1] ?? "";
    const made = await home.run("init", "--config", "my rules.toml");
    const added = type(next(made.err));
    expect(added).toMatchObject({ code: 0, err: expect.stringContaining("A hub that runs with this file") });
    expect(type(next(added.err))).toMatchObject({ code: 0, err: expect.stringMatching(/^6 rules, \d+ examples: \d+ right, 0 wrong\./) });
    expect(await home.run("rules", "list")).toMatchObject({ out: "", err: expect.stringContaining("rules add") });
  });
});

it("leads from what the hub does not understand to the help, or to the list", async () => {
  await up();
  for (const [words, next] of [
    [["tail", "--no-follow", "--since", "yesterday"], /^Run: hookline tail --help$/m],
    [["tail", "--no-follow", "-e", "[["], /^Run: hookline tail --help$/m],
    [["emit", "tool:after", "--decide"], /of kind observe.*\n.*docs\/reference\/events.md/],
    [["emit", "nope:nope", "--decide"], /has no event "nope:nope".*\n.*docs\/reference\/events.md/],
  ] as const) {
    const { code, err } = await home.run(...words);
    expect([code, err]).toEqual([2, expect.stringMatching(next)]);
  }
});

describe("hooks", () => {
  const manifest = 'events: ["tool:before"]\npermissions: [tools.intercept]\n';
  const putProject = (project: string) => {
    home.write(join(project, ".hookline/hooks/guard/HOOK.yaml"), manifest);
    home.write(join(project, ".hookline/hooks/guard/handler.js"), "export const handle = () => false;\n");
    return join(home.folder, project);
  };

  it("of a file that is not TOML lead to the file, as does its configuration", async () => {
    const path = home.write("config/hookline/hookline.toml", "this is [not toml");
    for (const args of [["hooks", "list"], ["config"]]) {
      const { code, err } = await home.run(...args);
      expect([code, nextIn(err)]).toEqual([1, `\${EDITOR:-vi} ${path}`]);
    }
  });

  it("without a name are named", async () => {
    const none = await home.run("hooks", "test");
    expect([none.code, type(nextIn(none.err))]).toEqual([2, expect.objectContaining({ code: 0 })]);
    await home.run("hooks", "new", "mine", "--language", "sh");
    const one = await home.run("hooks", "test");
    expect([one.code, nextIn(one.err)]).toEqual([2, "hookline hooks test mine"]);
    expect(nextIn((await home.run("hooks", "new", "x", "--event", "tool:befor")).err)).toBe("hookline hooks new --help");
    expect(nextIn((await home.run("hooks", "import", "codewhale", "nowhere.toml")).err)).toBe("hookline hooks import --help");
    const doctor = await home.run("hooks", "doctor");
    expect(doctor.err).toContain("hookline hooks doctor --reviewed");
    type("hookline hooks doctor --reviewed");
    expect(await home.run("hooks", "doctor")).toMatchObject({ code: 0, out: "", err: expect.not.stringContaining("--reviewed") });
  });

  it("of a project are named for --digest, and can be revoked when the project is gone", async () => {
    const project = putProject("project");
    mkdirSync(join(home.folder, "empty"));
    expect(type("hookline hooks trust --digest 3f9a1c5b7d2e", join(home.folder, "empty"))).toMatchObject({ code: 0 });
    const asked = type("hookline hooks trust --digest 3f9a1c5b7d2e", project);
    expect(asked).toMatchObject({ code: 2, err: expect.stringContaining("name the hook: guard") });
    nextIn(asked.err);
    const trust = nextIn(type("hookline hooks trust guard", project).err);
    expect(trust).toMatch(/^hookline hooks trust guard --digest [0-9a-f]{64}$/);
    expect(type(trust, project)).toMatchObject({ code: 0 });
    expect(type("hookline hooks revoke guard", project)).toMatchObject({ code: 0 });
    const revoked = type("hookline hooks trust", project);
    expect(revoked).toMatchObject({ code: 0, err: expect.stringContaining("To give it again: hookline hooks trust guard\n") });
    expect(type(trust, project)).toMatchObject({ code: 0 });
    rmSync(project, { recursive: true });
    const fix = await fixOf("trusted-projects");
    expect(type(fix)).toMatchObject({ code: 0 });
    expect(await isOk("trusted-projects")).toBe(true);
  });
});

describe("run", () => {
  it("prints nothing about a run that does not start", async () => {
    expect(await up()).toMatchObject({ code: 0 });
    const { code, err } = await home.runWith({ env: { PATH: "/usr/bin:/bin" } }, "run", "--", "claude");
    expect([code, err]).toEqual([127, expect.stringMatching(/^hookline: "claude" is not in the PATH\.\nRun: \S+ agents\n$/)]);
  });
});
