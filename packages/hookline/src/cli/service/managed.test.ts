import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type Account,
  AGENT,
  HUB,
  ManagedMachine,
  noManagedMachine,
  OPERATOR,
  OPERATORS,
  ROOT,
  STRANGER,
} from "../../../../../test/support/managed-machine.ts";
import { commandOnTerminal } from "../../../../../test/support/on-terminal.ts";
import { decodeBase32, totpCode, totpStep } from "../../hub/protect/totp.js";

const IDS = `${HUB.uid}:${HUB.uid}:${OPERATORS}`;
const INSTALL = ["service", "install", "--system", "--ids", IDS];
const PASSPHRASE = "correct horse battery staple";
const RULES = `
[[rule]]
name = "no-rm"
event = "tool:before"
match = "tool.input.command contains 'rm -rf'"
do = "block"
message = "Nothing is removed here."

[[rule]]
name = "pushes"
event = "tool:before"
match = "tool.input.command contains 'git push'"
do = "ask"
message = "A push leaves this machine."
`;

/** A process with a bus, as an agent's user would start it. Prints the decision. */
const ASKING = `
import { createBus } from "/opt/hookline/node_modules/@hookline/core/dist/index.js";
import { connectToHub } from "/opt/hookline/node_modules/@hookline/core/dist/forward/index.js";
const bus = createBus({ onError: (error) => console.error(error.code, error.message) });
const line = connectToHub(bus, { source: "test" });
const { verdict, reason } = await bus.decide("tool:before", { tool: { name: "shell", input: { command: process.argv[1] } } });
console.log(verdict, reason ?? "");
await line.close();
`;

/** Sends requests to the hub. Prints a line for each: its status and the code of its error. */
const SENDING = `
import { request } from "node:http";
const send = ({ way, method, path, token, body }) => new Promise((resolve) => {
  const where = way.startsWith("/") ? { socketPath: way } : { host: "127.0.0.1", port: new URL(way).port };
  const headers = { host: way.startsWith("/") ? "hookline" : new URL(way).host, authorization: "Bearer " + token, "content-type": "application/json" };
  request({ ...where, method, path, headers }, (answer) => {
    let text = "";
    answer.on("data", (chunk) => (text += chunk)).on("end", () => resolve(answer.statusCode + " " + (JSON.parse(text || "{}").error?.code ?? JSON.parse(text || "{}").code ?? "")));
  }).on("error", (error) => resolve(error.code)).end(body);
});
for (const one of JSON.parse(process.argv[1])) console.log(await send(one));
`;

interface Sent {
  readonly way: string;
  readonly method: string;
  readonly path: string;
  readonly token: string;
  readonly body?: string;
}

describe.skipIf(noManagedMachine !== undefined)(
  `a managed hub${noManagedMachine === undefined ? "" : ` (skipped: ${noManagedMachine})`}`,
  { timeout: 180_000 },
  () => {
    let machine: ManagedMachine;
    let [url, asking, attached, operator] = ["", "", "", ""];
    const node = (account: Account, code: string, ...args: readonly string[]) =>
      machine.run(account, ["/opt/hookline/bin/node", "--input-type=module", "-e", code, ...args]);
    const root = (...args: readonly string[]) => machine.hookline(ROOT, ...args);
    const ask = async (account: Account, command: string) => (await node(account, ASKING, command)).out.trim();
    const send = async (account: Account, ...requests: readonly Sent[]) =>
      (await node(account, SENDING, JSON.stringify(requests))).out.trim().split("\n");

    beforeAll(async () => {
      machine = await new ManagedMachine().ready();
      const installed = await machine.checkout(...INSTALL);
      expect([installed.code, installed.out]).toEqual([0, "/etc/systemd/system/hookline.service\n"]);
      await machine.run(ROOT, ["tee", "/etc/hookline/hookline.toml"], { input: RULES });
      await machine.startHub();
      const read = async (path: string) => (await machine.sh(ROOT, `cat ${path}`)).out;
      ({ url, token: asking } = JSON.parse(await read("/run/hookline/hub.json")));
      ({ token: operator } = JSON.parse(await read("/run/hookline/operator.json")));
      attached = /Bearer ([\w-]+)/.exec(await read("/run/hookline/attach/key"))?.[1] ?? "";
    });
    afterAll(() => machine[Symbol.asyncDispose](), 60_000);

    it("has a unit that systemd accepts", async () => {
      const { code, err } = await machine.sh(ROOT, "systemd-analyze verify /etc/systemd/system/hookline.service");
      expect([code, err]).toEqual([0, ""]);
    });

    it("decides for the group that may ask, by the rules of /etc/hookline, and says which mode it is in", async () => {
      expect(await ask(AGENT, "rm -rf /")).toBe("deny Nothing is removed here.");
      expect(await ask(AGENT, "ls")).toMatch(/^pass/);
      const { code, out } = await machine.hookline(ROOT, "status");
      expect([code, out]).toEqual([0, expect.stringContaining("mode      managed")]);
      expect((await machine.hookline(ROOT, "service", "status")).out).toContain("by root only");
    });

    it("is what doctor looks at, and not what root has of its own", async () => {
      const { out } = await root("doctor", "--json");
      const { checks } = JSON.parse(out) as { readonly checks: readonly { readonly [field: string]: string }[] };
      const found = (id: string) => checks.find((check) => check.id === id);
      expect(checks.filter(({ state }) => state === "fail")).toEqual([]);
      expect(found("state-folder")).toMatchObject({ state: "ok", detail: "/run/hookline" });
      expect(found("runtime-folder")).toMatchObject({ state: "ok", detail: "/run/hookline" });
      expect(found("hub-file")).toMatchObject({ state: "ok", detail: "/run/hookline/hub.json", fix: "sudo systemctl restart hookline" });
      expect(found("operator-file")).toMatchObject({ state: "ok", detail: "/run/hookline/operator.json" });
      expect(found("store")).toMatchObject({ state: "ok", detail: expect.stringContaining("/var/lib/hookline/") });
    });

    it("is found whatever the variables of the agent's user say", async () => {
      await machine.sh(AGENT, "mkdir -p ~/state/hookline ~/config/hookline && chmod 700 ~/state ~/state/hookline");
      const env = {
        XDG_STATE_HOME: `/home/${AGENT.uid}/state`,
        XDG_CONFIG_HOME: `/home/${AGENT.uid}/config`,
        XDG_RUNTIME_DIR: `/home/${AGENT.uid}`,
      };
      const decided = await machine.run(AGENT, ["/opt/hookline/bin/node", "--input-type=module", "-e", ASKING, "rm -rf /"], { env });
      expect(decided.out.trim()).toBe("deny Nothing is removed here.");
      const up = await machine.run(AGENT, ["/opt/hookline/bin/hookline", "up", "--detach"], { env });
      expect((await machine.sh(AGENT, "ls ~/state/hookline")).out).toBe("");
      expect(up.out + up.err).toContain(url);
    });

    const PID = "$(sed 's/.*\"pid\":\\([0-9]*\\).*/\\1/' /run/hookline/hub.json)";
    const FORBIDDEN = [
      "cat /run/hookline/operator.json",
      "ls /var/lib/hookline",
      "cat /var/lib/hookline/events.db",
      "echo x >> /etc/hookline/hookline.toml",
      "echo x > /etc/hookline/hooks/x",
      "rm -f /etc/hookline/managed.json",
      "mv /etc/hookline /etc/moved",
      "echo x >> /opt/hookline/node_modules/hookline/dist/cli/main.js",
      "mv /opt/hookline/bin/node /tmp/node-moved",
      "echo x >> /etc/systemd/system/hookline.service",
      "rm -f /run/hookline/http.sock",
      "mv /run/hookline/line.sock /run/hookline/other.sock",
      "echo x > /run/hookline/hub.json",
      "mv /run/hookline /run/moved",
      "chmod 777 /run/hookline",
      `kill -9 ${PID}`,
      `kill -STOP ${PID}`,
      `cat /proc/${PID}/environ`,
      `cat /proc/${PID}/mem`,
    ];

    it("lets an agent's account neither read its secrets nor change its files, sockets and process", async () => {
      for (const line of FORBIDDEN) {
        const { code, err } = await machine.sh(AGENT, line);
        expect([line, code !== 0, err]).toEqual([
          line,
          true,
          expect.stringMatching(/Permission denied|not permitted|cannot (move|remove)/),
        ]);
      }
    });

    const COMMANDS = [
      ["approve", "x"],
      ["pause", "--for", "5m"],
      ["down", "--force"],
      ["token", "rotate"],
      ["open", "--approve"],
      ["protect", "on"],
      ["policy", "accept", "--all"],
      ["rules", "add", "destructive-shell"],
      ["hooks", "new", "mine"],
      ["service", "uninstall", "--system"],
      ["service", "install", "--system", "--ids", IDS],
      ["up", "--managed"],
      ["tail"],
    ];

    it("refuses an agent's account every command that operates or shows what others did", async () => {
      const ended = await Promise.all(COMMANDS.map(async (args) => [args, (await machine.hookline(AGENT, ...args)).code]));
      // 0 is success, and 2 would be a command line that was not understood.
      expect(ended.filter(([, code]) => code === 0 || code === 2)).toEqual([]);
      expect(await ask(AGENT, "rm -rf /")).toBe("deny Nothing is removed here.");
    });

    it("refuses an agent's account every request that operates, on each way and with each token", async () => {
      const bodies: { readonly [path: string]: string } = {
        "/api/approvals/x": '{"decision":"allow"}',
        "/api/pause": '{"forMs":60000}',
        "/api/stop": "{}",
        "/api/token/rotate": "{}",
      };
      const requests = (tokens: readonly string[]): Sent[] =>
        ["/run/hookline/http.sock", url].flatMap((way) =>
          tokens.flatMap((token) => Object.entries(bodies).map(([path, body]) => ({ way, method: "POST", path, token, body }))),
        );
      expect(new Set(await send(AGENT, ...requests([asking, attached])))).toEqual(new Set(["403 HL_SCOPE"]));
      // The token alone opens nothing: the hub asks the operating system who sent it.
      for (const account of [AGENT, OPERATOR, STRANGER]) {
        const own = requests([operator]).filter(({ way }) => account !== STRANGER || way === url);
        expect(new Set(await send(account, ...own))).toEqual(new Set(["403 HL_NOT_OPERATOR"]));
      }
      const reading = [asking, attached].map((token) => ({ way: "/run/hookline/http.sock", method: "GET", path: "/api/events", token }));
      expect(new Set(await send(AGENT, ...reading))).toEqual(new Set(["403 HL_SCOPE"]));
    });

    it("does not answer those outside the group on its sockets, and their processes deny", async () => {
      expect(await send(STRANGER, { way: "/run/hookline/http.sock", method: "GET", path: "/api/status", token: operator })).toEqual([
        "EACCES",
      ]);
      expect((await machine.sh(STRANGER, "cat /run/hookline/hub.json")).code).not.toBe(0);
      expect(await ask(STRANGER, "rm -rf /")).toMatch(/^deny/);
    });

    it("lets root operate, and operators with a factor alone", async () => {
      expect((await machine.hookline(OPERATOR, "pause", "--for", "1m")).err).toContain("need a factor");
      expect((await machine.hookline(ROOT, "pause", "--for", "1m")).code).toBe(0);
      expect((await machine.hookline(ROOT, "resume")).code).toBe(0);
      const at = (account: Account, ...args: readonly string[]) =>
        commandOnTerminal(machine.words(account, "/opt/hookline/bin/hookline", ...args), { env: machine.env(account), cwd: "/" });
      const enrolling = at(ROOT, "protect", "on");
      for (const prompt of ["New passphrase: ", "The same again: "]) {
        await enrolling.shows(prompt);
        enrolling.press(`${PASSPHRASE}\r`);
      }
      await enrolling.shows("Type its last four characters: ");
      enrolling.press(`${(enrolling.out.match(/([0-9A-Z]{4}-){7}[0-9A-Z]{4}/g)?.at(-1) ?? "").slice(-4)}\r`);
      expect(await enrolling.ended).toBe(0);
      expect((await machine.hookline(ROOT, "status")).out).toContain("mode      managed");

      const waiting = ask(AGENT, "git push");
      const listed = async () => JSON.parse((await machine.hookline(OPERATOR, "approvals", "--json")).out) as { readonly id: string }[];
      await expect.poll(async () => (await listed()).length).toBe(1);
      const [question] = await listed();
      const id = question?.id ?? "";
      const request = { method: "POST", path: `/api/approvals/${id}`, token: operator, body: '{"decision":"allow"}' };
      expect(await send(OPERATOR, { way: url, ...request }, { way: "/run/hookline/http.sock", ...request })).not.toContain("200 ");
      const approving = at(OPERATOR, "approve", id);
      await approving.shows("Passphrase: ");
      approving.press(`${PASSPHRASE}\r`);
      expect(await approving.ended).toBe(0);
      expect(await waiting).toMatch(/^(allow|pass)/);
    });

    it("takes codes of an authenticator app, each of them once", async () => {
      const at = (account: Account, ...args: readonly string[]) =>
        commandOnTerminal(machine.words(account, "/opt/hookline/bin/hookline", ...args), { env: machine.env(account), cwd: "/" });
      const enrolling = at(ROOT, "protect", "totp");
      await enrolling.shows("The code that the app shows: ");
      const secret = /\b[A-Z2-7]{32}\b/.exec(enrolling.out)?.[0] ?? "";
      let used = 0;
      const nextCode = (): string => {
        used = Math.max(totpStep(Date.now()), used + 1);
        return totpCode(decodeBase32(secret), used);
      };
      enrolling.press(`${nextCode()}\r`);
      await enrolling.shows("Passphrase: ");
      enrolling.press(`${PASSPHRASE}\r`);
      expect(await enrolling.ended).toBe(0);
      expect((await root("protect", "status")).out).toContain("authenticator app");
      const confirm = async (said: string, ...args: readonly string[]) => {
        const screen = at(OPERATOR, ...args);
        await screen.shows("Code of your app, or passphrase: ");
        screen.press(`${said}\r`);
        return { code: await screen.ended, out: screen.out };
      };
      const code = nextCode();
      expect((await confirm(code, "pause", "--for", "1m")).code).toBe(0);
      const again = await confirm(code, "resume");
      expect([again.code, again.out]).toEqual([1, expect.stringContaining("wrong, too old or used")]);
      expect((await confirm(PASSPHRASE, "resume")).code).toBe(0);
      const { out: kept } = await machine.sh(ROOT, "stat -c '%a %u' /var/lib/hookline/protect.json");
      expect(kept).toBe(`600 ${HUB.uid}\n`);
      expect((await confirm(PASSPHRASE, "protect", "totp", "--remove")).code).toBe(0);
    });
  },
);

describe.skipIf(noManagedMachine !== undefined)("hookline service install --system", () => {
  const CLEAR = "rm -rf /etc/hookline";
  const loose: readonly (readonly [line: string, says: string, undo: string])[] = [
    ["chmod g+w /opt", '"/opt"', "chmod g-w /opt"],
    [`chown ${AGENT.uid} /opt`, `belongs to user ${AGENT.uid}`, "chown 0 /opt"],
    ["install -d /etc/hookline && install -m 666 /dev/null /etc/hookline/hookline.toml", "hookline.toml", CLEAR],
    [`install -d /etc/hookline && install -o ${AGENT.uid} /dev/null /etc/hookline/hookline.toml`, "hookline.toml", CLEAR],
    ["mkdir /home/rules && ln -s /home/rules /etc/hookline", "symbolic link", CLEAR],
    ["chmod o+w /etc/systemd/system", '"/etc/systemd/system"', "chmod o-w /etc/systemd/system"],
    ["install -d /etc/hookline/clients && install -m 664 /dev/null /etc/hookline/clients/x", "clients/x", CLEAR],
  ];

  it("refuses what another user than root could change, and writes nothing then", async () => {
    await using machine = await new ManagedMachine().ready();
    for (const [line, says, undo] of loose) {
      expect((await machine.sh(ROOT, line)).code).toBe(0);
      for (const args of [INSTALL, [...INSTALL, "--dry-run"]]) {
        const { code, err } = await machine.checkout(...args);
        expect([line, code, err]).toEqual([line, 1, expect.stringContaining(says)]);
      }
      expect((await machine.sh(ROOT, `test -e /etc/hookline/managed.json || test -e /opt/hookline || ! { ${undo}; }`)).code).toBe(1);
    }
  });

  it("shows everything without writing, writes below another root, and removes what it wrote but rules and events", async () => {
    await using machine = await new ManagedMachine().ready();
    const shown = await machine.checkout(...INSTALL, "--dry-run");
    expect([shown.code, shown.out]).toEqual([0, expect.stringContaining("ProtectSystem=strict")]);
    expect((await machine.sh(ROOT, "ls /opt /etc/hookline")).out).toBe("/opt:\n");
    expect((await machine.checkout("service", "install", "--system", "--root", "/home/image")).err).toContain("--ids");
    expect((await machine.checkout(...INSTALL, "--root", "/home/image")).code).toBe(0);
    const image = await machine.sh(
      ROOT,
      "cd /home/image && ls opt/hookline etc/hookline etc/systemd/system && cat etc/hookline/managed.json",
    );
    expect(image.out).toContain(`{"v":1,"user":${HUB.uid},"group":${HUB.uid},"operators":${OPERATORS},"run":"/run/hookline"}`);
    expect((await machine.checkout("service", "status")).code).toBe(4);
    expect((await machine.checkout("service", "uninstall", "--system", "--root", "/home/image")).code).toBe(0);
    expect((await machine.sh(ROOT, "cd /home/image && find . -type f")).out).toBe("./etc/hookline/hookline.toml\n");
  });

  it("creates the accounts, and says so when it cannot", async () => {
    await using machine = await new ManagedMachine().ready();
    const without = await machine.checkoutWith({ PATH: "/nowhere" }, "service", "install", "--system");
    expect([without.code, without.err]).toEqual([1, expect.stringContaining("useradd --system")]);
    expect((await machine.checkout("service", "install", "--system")).code).toBe(0);
    const { out } = await machine.sh(ROOT, "grep ^hookline /etc/passwd /etc/group; grep User= /etc/systemd/system/hookline.service");
    expect(out).toMatch(/hookline:x:.*nologin[\s\S]*hookline-operators:x[\s\S]*User=hookline/);
    expect((await machine.sh(ROOT, "systemd-analyze verify /etc/systemd/system/hookline.service")).code).toBe(0);
  });
});
