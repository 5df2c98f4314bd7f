import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync } from "node:fs";
import { dirname, join } from "node:path";
import { startHub } from "hookline/hub";
import { describe, expect, it, onTestFinished } from "vitest";
import { makeEnvelope } from "../../../../../test/support/http-hub.js";
import { LineClient } from "../../../../../test/support/line-client.js";
import { testFolder } from "../../../../../test/support/test-folder.js";
import { canSeeProcesses } from "../auth/processes.js";
import type { EventAnswer } from "../protocol.js";

const core = new URL("../../../../core/dist/", import.meta.url);
const soon = { timeout: 60_000 };

/** A process with a bus, which reports one event, and then whatever it is told to write on its connection. */
const PROCESS = `
import { createBus } from ${JSON.stringify(new URL("index.js", core).href)};
import { connectToHub } from ${JSON.stringify(new URL("forward/index.js", core).href)};
const [app, folder] = process.argv.slice(1);
const bus = createBus({ source: app });
const line = connectToHub(bus, { folder });
bus.emitSync("session:start", { session: { id: app } });
await line.flush(20_000);
process.stdout.write(JSON.stringify(bus.source) + "\\n");
process.stdin.resume();
`;

async function startProcess(app: string, folder: string) {
  const child = spawn(process.execPath, ["--input-type=module", "-e", PROCESS, app, folder], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill());
  const [chunk] = (await once(child.stdout, "data")) as [Buffer];
  return { pid: child.pid ?? 0, source: JSON.parse(String(chunk)) as { readonly app: string; readonly instance: string }, child };
}

const OTHER_USER = 65_534;

/** A process of another user that passes on what it is sent: to the hub, it is the other end. Gives its socket. */
async function startOtherUser(line: string, state: string): Promise<string> {
  for (const [path, mode] of [
    [dirname(state), 0o777],
    [state, 0o711],
    [dirname(line), 0o711],
    [line, 0o666],
  ] as const)
    chmodSync(path, mode);
  const own = join(dirname(state), "other.sock");
  const pass = `const net = require("net");
    net.createServer((s) => { const c = net.connect(${JSON.stringify(line)}); s.pipe(c).pipe(s); c.on("error", () => s.destroy()); s.on("error", () => c.destroy()); })
      .listen(${JSON.stringify(own)}, () => process.stdout.write("ready"));`;
  const child = spawn(process.execPath, ["-e", pass], { uid: OTHER_USER, gid: OTHER_USER, cwd: "/", stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill());
  await once(child.stdout, "data");
  return own;
}

async function start() {
  const state = join(testFolder(), "state");
  const hub = await startHub({ state, port: 0, onProblem: () => {} });
  onTestFinished(() => hub.close());
  const headers = { authorization: `Bearer ${hub.parts.tokens.operator}`, "content-type": "application/json" };
  const get = async (path: string) => fetch(hub.file.url + path, { headers });
  const show = async (id: string) => (await (await get(`/api/events/${id}`)).json()) as EventAnswer;
  const idOf = async (event: string, app: string) => {
    const found = async () => (await hub.parts.store.page({ events: [event], source: app }, { limit: 10 })).events[0]?.body;
    await expect.poll(found, soon).toBeDefined();
    return (JSON.parse((await found()) ?? "{}") as { readonly id: string }).id;
  };
  return { hub, state, headers, get, show, idOf };
}

describe.runIf(canSeeProcesses)("where an event came from", () => {
  it("is stored with its process and user, once for each connection, shown and exported, and the envelope stays as it was", async () => {
    const { hub, state, show, idOf, get, headers } = await start();
    const { pid, source } = await startProcess("billing", state);
    const id = await idOf("session:start", "billing");
    await expect
      .poll(async () => (await show(id)).origin, soon)
      .toMatchObject({
        way: "connection",
        app: "billing",
        instance: source.instance,
        process: { pid, uid: process.getuid?.(), program: process.execPath },
      });
    const shown = await show(id);
    expect(shown).not.toHaveProperty("provedBy");
    expect(shown).not.toHaveProperty("forAnother");
    expect(JSON.parse((await hub.parts.store.get(id))?.body ?? "{}")).not.toHaveProperty("origin");

    // What comes over HTTP, and what the hub itself says.
    const sent = makeEnvelope({ event: "session:end", source: { app: "curl", host: "h", pid: 1, instance: "i9" } });
    await fetch(`${hub.file.url}/api/hooks/ingest`, { method: "POST", headers, body: JSON.stringify(sent) });
    await expect.poll(async () => (await show(sent.id)).origin, soon).toMatchObject({ way: "request", process: { pid: process.pid } });
    hub.parts.alarms.raise({ kind: "tampered", text: "x" });
    expect((await show(await idOf("guard:tampered", "hookline-hub"))).origin).toMatchObject({ way: "hub" });

    const lines = (await (await get("/api/export?format=jsonl")).text())
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as object);
    expect(lines).toContainEqual(
      expect.objectContaining({ id, origin: expect.objectContaining({ process: expect.objectContaining({ pid }) }) }),
    );
    const csv = (await (await get("/api/export?format=csv")).text()).split("\r\n");
    expect(csv[0]).toMatch(/,way,pid,user,program$/);
    expect(csv.find((line) => line.includes(id))).toContain(`"connection","${pid}","${process.getuid?.()}","${process.execPath}"`);
  });

  it("is marked where a process reports in the name of another one", async () => {
    const { hub, state, show, idOf, headers } = await start();
    const { pid, source } = await startProcess("agent", state);
    await idOf("session:start", "agent");
    await expect.poll(() => hub.parts.sources.list()[0]?.peer?.pid, soon).toBe(pid);
    const actor = { kind: "person", name: "ann", at: "hub" } as const;
    const decision = { verdict: "allow", by: "ann", actor, modified: false, endLoop: false } as const;
    const full = { host: "h", pid, ...source };
    const forge = () => makeEnvelope({ event: "tool:before", source: full, decision });

    // Another process, under a name of its own.
    const client = await LineClient.attached(hub.file.line, hub.file.token);
    onTestFinished(() => void client.socket.destroy());
    const first = forge();
    client.say(first);
    await client.next((frame) => frame.type === "ack");
    await expect
      .poll(() => show(first.id), soon)
      .toMatchObject({
        claimed: true,
        forAnother: true,
        origin: { way: "connection", process: { pid: process.pid } },
        provedBy: { process: { pid } },
      });

    // Another process that connects as the same instance.
    const twin = await LineClient.attached(hub.file.line, hub.file.token, source.instance);
    onTestFinished(() => void twin.socket.destroy());
    const second = forge();
    twin.say(second);
    await twin.next((frame) => frame.type === "ack");
    await expect
      .poll(() => show(second.id), soon)
      .toMatchObject({ provedBy: { process: { pid } }, origin: { process: { pid: process.pid } } });
    expect(await show(second.id)).not.toHaveProperty("forAnother");

    // Over HTTP.
    const third = forge();
    await fetch(`${hub.file.url}/api/hooks/ingest`, { method: "POST", headers, body: JSON.stringify(third) });
    await expect
      .poll(() => show(third.id), soon)
      .toMatchObject({ claimed: true, provedBy: { process: { pid } }, origin: { way: "request" } });
  });

  it.runIf(process.getuid?.() === 0)("is refused where it names the instance of another user's process", async () => {
    const { hub, state } = await start();
    const { file } = hub;
    const own = await LineClient.attached(file.line, file.token, "i-own");
    onTestFinished(() => void own.socket.destroy());
    const report = (instance: string) =>
      makeEnvelope({ event: "session:start", source: { app: "agent", host: "h", pid: process.pid, instance } });
    own.say(report("i-own"));
    await own.next((frame) => frame.type === "ack");
    await expect.poll(() => hub.parts.ingest.ownerOf("i-own"), soon).toBeDefined();

    const through = await startOtherUser(file.line, state);
    const other = await LineClient.attached(through, file.token, "i-other");
    onTestFinished(() => void other.socket.destroy());
    await expect.poll(() => hub.parts.sources.list().some(({ peer }) => peer?.uid === OTHER_USER), soon).toBe(true);
    other.say(report("i-own"), report("i-other"));
    await other.next((frame) => frame.type === "ack" && frame.n === 2);
    expect(other.frames.filter(({ type }) => type === "refused")).toMatchObject([{ n: 1, code: "HL_FORGED_SOURCE" }]);

    const twin = await LineClient.attached(through, file.token, "i-own");
    await twin.closed();
    expect(twin.frames.at(-1)).toEqual({ type: "bye", reason: "protocol" });
  });
});
