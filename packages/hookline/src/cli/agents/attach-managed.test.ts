import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type Account,
  AGENT,
  type Ended,
  HUB,
  ManagedMachine,
  noManagedMachine,
  OPERATORS,
  ROOT,
  STRANGER,
} from "../../../../../test/support/managed-machine.ts";
import { runAsShown } from "../../../../../test/support/run-as-shown.ts";

import { findAgent } from "../../agents/agents.js";
import type { AgentDefinition } from "../../agents/shared/definition.js";

const INSTALL = ["service", "install", "--system", "--ids", `${HUB.uid}:${HUB.uid}:${OPERATORS}`];
const RULES = `
[[rule]]
name = "no-rm"
event = "tool:before"
match = "tool.input.command contains 'rm -rf'"
do = "block"
message = "Nothing is removed here."
`;
const FILES = {
  "claude-code": "/etc/claude-code/managed-settings.json",
  codex: "/etc/codex/requirements.toml",
  copilot: "/etc/github-copilot/policy.d/hookline.json",
} as const;
type Managed = keyof typeof FILES;
const MANAGED = Object.keys(FILES) as Managed[];

/** Prints the command that the agent's file has for the event before a tool call. */
const COMMAND_OF: { readonly [Agent in Managed]: string } = {
  "claude-code": `JSON.parse(text).hooks.PreToolUse.at(-1).hooks[0].command`,
  codex: `(await import("/opt/hookline/node_modules/smol-toml/dist/index.js")).parse(text).hooks.PreToolUse.at(-1).hooks[0].command`,
  copilot: `JSON.parse(text).hooks.preToolUse.at(-1).bash`,
};
/** A call of the agent's own shell, as its hook gets it. */
function call(agent: Managed, command: string): string {
  const { samples, tools, events } = findAgent(agent) as AgentDefinition;
  const [event = ""] = Object.entries(events).find(([, row]) => row.event === "tool:before") ?? [];
  const [name = ""] = Object.keys(tools);
  return JSON.stringify(samples.call(event, { name, input: { command } }, { session: "s1", cwd: "/" }));
}

describe.skipIf(noManagedMachine !== undefined)(
  `hookline attach --managed${noManagedMachine === undefined ? "" : ` (skipped: ${noManagedMachine})`}`,
  { timeout: 180_000 },
  () => {
    let machine: ManagedMachine;
    const root = (...args: readonly string[]) => machine.hookline(ROOT, ...args);
    const read = async (path: string) => (await machine.sh(ROOT, `cat ${path}`)).out;
    /** As the agent would, in the shell that it uses. */
    const hook = async (agent: Managed, account: Account, command: string, shell = "/bin/sh"): Promise<Ended> => {
      const text = await read(FILES[agent]);
      const code = `const text = process.argv[1]; process.stdout.write(${COMMAND_OF[agent]})`;
      const { out: line } = await machine.run(ROOT, ["/opt/hookline/bin/node", "--input-type=module", "-e", code, text]);
      return machine.run(account, [shell, "-c", line], { input: call(agent, command) });
    };
    const isDeny = ({ code, out }: Ended): boolean => code === 2 || /deny/.test(out);

    beforeAll(async () => {
      machine = await new ManagedMachine().ready();
      expect((await machine.checkout(...INSTALL)).code).toBe(0);
      await machine.run(ROOT, ["/usr/bin/tee", "/etc/hookline/hookline.toml"], { input: RULES });
    });
    afterAll(() => machine[Symbol.asyncDispose](), 60_000);

    it("leaves nothing behind if its hooks are not seen to run, and says why", async () => {
      for (const agent of MANAGED) {
        const { code, err } = await root("attach", "--managed", agent);
        expect([agent, code, err]).toEqual([agent, 1, expect.stringMatching(/not attached: its hook was run .* the hub did not answer/)]);
        expect((await machine.sh(ROOT, `ls ${FILES[agent]}`)).code).not.toBe(0);
      }
      await machine.startHub();
      expect((await runAsShown({ run: root }, "policy", "accept", "--all")).code).toBe(0);
    });

    it("refuses an agent whose managed settings do not hold, and accounts other than root", async () => {
      const gemini = await root("attach", "--managed", "gemini");
      expect([gemini.code, gemini.err]).toEqual([1, expect.stringContaining("GEMINI_CLI_SYSTEM_SETTINGS_PATH")]);
      for (const args of [
        ["attach", "--managed", "codex"],
        ["attach", "codex"],
        ["detach", "--managed", "codex"],
      ])
        expect((await machine.hookline(AGENT, ...args)).code).toBe(1);
      expect((await root("attach", "--managed", "--project", "codex")).code).toBe(2);
      expect(await root("attach", "--managed", "--no-strict", "codex")).toMatchObject({
        code: 2,
        err: expect.stringContaining("always strict"),
      });
      expect((await root("attach", "codex")).err).toContain("attach --managed <agent>");
    });

    it.each([
      ["chmod o+w /etc/codex", '"/etc/codex"', "chmod o-w /etc/codex"],
      [`chown ${AGENT.uid} /etc/codex/requirements.toml`, `belongs to user ${AGENT.uid}`, "chown 0 /etc/codex/requirements.toml"],
      ["chmod g+w /etc/codex/requirements.toml", "users other than root can write", "chmod g-w /etc/codex/requirements.toml"],
      ["mv /etc/codex /etc/other && ln -s /etc/other /etc/codex", "symbolic link", "rm /etc/codex; mv /etc/other /etc/codex"],
      [
        "printf '[features]\\nhooks = false\\n' > /etc/codex/requirements.toml",
        '"features.hooks" to false',
        "rm /etc/codex/requirements.toml",
      ],
      ["printf 'hooks = {}\\n' > /etc/codex/requirements.toml", "cannot be added to", "rm /etc/codex/requirements.toml"],
    ])("refuses after %s", async (line, says, undo) => {
      await machine.sh(ROOT, "install -d /etc/codex && touch /etc/codex/requirements.toml");
      expect((await machine.sh(ROOT, line)).code).toBe(0);
      const before = await read("/etc/codex/requirements.toml");
      const { code, err } = await root("attach", "--managed", "codex");
      expect([code, err]).toEqual([1, expect.stringContaining(says)]);
      expect(await read("/etc/codex/requirements.toml")).toBe(before);
      expect((await machine.sh(ROOT, undo)).code).toBe(0);
    });

    const OTHERS: { readonly [Agent in Managed]?: string } = {
      "claude-code":
        '{\n\t"permissions": { "deny": ["WebFetch"] },\n\t"hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "true" }] }] }\n}\n',
      codex:
        '# of the company\nallowed_approval_policies = ["never", "on-request"]\n\n[features] # ours\nshell_tool = true\n\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "true"\n',
    };

    it.each(MANAGED)("attaches %s beside what the administrator has, for everyone to read and root to change", async (agent) => {
      const before = OTHERS[agent];
      if (before !== undefined) {
        await machine.sh(ROOT, `install -d $(dirname ${FILES[agent]})`);
        await machine.run(ROOT, ["/usr/bin/tee", FILES[agent]], { input: before });
      }
      const shown = await root("attach", "--managed", agent, "--dry-run");
      expect([shown.code, shown.out]).toEqual([0, expect.stringContaining("/etc/hookline/clients")]);
      const attached = await root("attach", "--managed", agent);
      expect([attached.code, attached.out, attached.err]).toEqual([0, `${FILES[agent]}\n`, expect.stringContaining("for all users")]);
      const text = await read(FILES[agent]);
      for (const line of before?.split("\n").filter((one) => /deny|allowed_|shell_tool|# of/.test(one)) ?? []) expect(text).toContain(line);
      const modes = await machine.sh(
        ROOT,
        `stat -c '%a %u' ${FILES[agent]} $(dirname ${FILES[agent]}) /etc/hookline/clients /etc/hookline/clients/${agent}-strict.*`,
      );
      expect(modes.out).toBe("644 0\n755 0\n755 0\n644 0\n");
      expect((await root("attach", "--managed", agent)).err).toContain("already attached");
    });

    it("refuses an agent whose hooks run in a shell that reads files of the user first", async () => {
      const line = (shell: string) =>
        `sed -i /^hl-test:/d /etc/passwd; echo hl-test:x:${AGENT.uid}:${HUB.uid}::/home/${AGENT.uid}:${shell} >> /etc/passwd`;
      await machine.sh(ROOT, line("/bin/bash"));
      const { code, err } = await root("attach", "--managed", "codex");
      expect([code, err]).toEqual([1, expect.stringMatching(/hl-test \(\/bin\/bash\)[\s\S]*usermod --shell \/bin\/sh hl-test/)]);
      expect((await root("attach", "--managed", "copilot")).code).toBe(0);
      await machine.sh(ROOT, line("/bin/sh"));
      expect((await root("attach", "--managed", "codex")).code).toBe(0);
    });

    it.each(MANAGED)("lets %s ask as a user of the group, and denies everything that cannot ask", async (agent) => {
      expect(isDeny(await hook(agent, AGENT, "rm -rf /"))).toBe(true);
      const passed = await hook(agent, AGENT, "ls");
      expect([passed.code, passed.out]).toEqual([0, ""]);
      expect(isDeny(await hook(agent, STRANGER, "ls"))).toBe(true);
      const check = await machine.hookline(AGENT, "attach", agent, "--check", "--managed");
      expect([check.out, check.err]).toEqual([expect.stringContaining("the canary was denied"), expect.anything()]);
    });

    it.each([
      ["chmod 0644 /run/hookline/attach/key", "chmod 0640 /run/hookline/attach/key"],
      ["chmod 0660 /run/hookline/attach/key", "chmod 0640 /run/hookline/attach/key"],
      [`chgrp ${AGENT.uid} /run/hookline/attach/key`, `chgrp ${HUB.uid} /run/hookline/attach/key`],
      [`chown ${AGENT.uid} /run/hookline/attach/key`, `chown ${HUB.uid} /run/hookline/attach/key`],
      ["chmod g+w /run/hookline/attach", "chmod g-w /run/hookline/attach"],
      ["chmod 0666 /run/hookline/http.sock", "chmod 0660 /run/hookline/http.sock"],
      [`chown ${AGENT.uid} /run/hookline/http.sock`, `chown ${HUB.uid} /run/hookline/http.sock`],
      ["chmod o+w /run/hookline", "chmod o-w /run/hookline"],
    ])("refuses the hub's files after %s", async (line, undo) => {
      expect((await machine.sh(ROOT, line)).code).toBe(0);
      const denied = await hook("claude-code", AGENT, "ls");
      expect((await machine.sh(ROOT, undo)).code).toBe(0);
      expect(isDeny(denied)).toBe(true);
      expect((await hook("claude-code", AGENT, "ls")).code).toBe(0);
    });

    it("shows what is attached, and does not leave agents without a hub", async () => {
      expect((await root("status")).out).toMatch(/agents +claude-code \(managed\)\n +codex \(managed\)\n +copilot \(managed\)/);
      expect((await machine.hookline(AGENT, "agents")).out).toMatch(/codex .*managed, strict/);
      const doctor = await root("doctor");
      for (const title of [
        "Attached agents still have their hooks",
        "The scripts that agents run are intact",
        "Attached agents reach the hub",
      ])
        expect(doctor.out).toMatch(new RegExp(`ok.*${title}`));
      expect((await root("service", "uninstall", "--system")).err).toContain("detach --managed codex");
    });

    it.each(MANAGED)("detaches %s, and leaves the file as it was", async (agent) => {
      expect((await root("detach", "--managed", agent)).code).toBe(0);
      expect(await read(FILES[agent])).toBe(OTHERS[agent] ?? "");
      expect((await machine.sh(ROOT, `test -e $(dirname ${FILES[agent]})`)).code).toBe(OTHERS[agent] === undefined ? 1 : 0);
    });

    it("removes only its own from a file that was edited since", async () => {
      for (const agent of ["claude-code", "codex"] as const) {
        expect((await root("attach", "--managed", agent)).code).toBe(0);
        const text = await read(FILES[agent]);
        const edited = text.replace("shell_tool = true", "shell_tool = false").replace("WebFetch", "WebSearch");
        await machine.run(ROOT, ["/usr/bin/tee", FILES[agent]], { input: edited });
        expect((await root("detach", "--managed", agent)).code).toBe(0);
        const left = await read(FILES[agent]);
        expect(left).not.toMatch(/hookline|anaged_?hooks_?only/i);
        expect(left).toContain(agent === "codex" ? "shell_tool = false" : "WebSearch");
      }
    });
  },
);
