import { once } from "node:events";
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { createBus } from "@hookline/core";
import { connectToHub } from "@hookline/core/forward";
import { GATES_FILE, HUB_FILE, readGatesFile, readHubFile } from "@hookline/core/internal/machine";
import type { RemoteGate } from "@hookline/core/internal/wire";
import { type Hub, type HubOptions, startHub } from "hookline/hub";
import { describe, expect, it, onTestFinished } from "vitest";
import { LineClient } from "../../../../test/support/line-client.js";
import { sampleEnvelope } from "../../../../test/support/sample-envelope.js";
import { testFolder } from "../../../../test/support/test-folder.js";

async function hubIn(state: string, options: HubOptions = {}): Promise<Hub & { problems: string[] }> {
  const problems: string[] = [];
  const hub = await startHub({ state, port: 0, config: emptyConfigIn(state), onProblem: (text) => problems.push(text), ...options });
  onTestFinished(() => hub.close());
  return Object.assign(hub, { problems });
}

function emptyConfigIn(state: string): string {
  const path = join(state, "..", "hookline.toml");
  if (!existsSync(path)) writeFileSync(path, "");
  return path;
}

const hasSix = Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === "::1"));

const stateIn = (folder: string): string => join(folder, "state");

describe("startHub", () => {
  it("is in hub.json when it is up, and leaves nothing but its data when it is down", async () => {
    const state = stateIn(testFolder());
    const hub = await hubIn(state);
    expect(readHubFile(state)).toEqual({ state: "found", file: hub.file });
    const modes = readdirSync(state).map((name) => (lstatSync(join(state, name)).mode & 0o777).toString(8));
    expect(new Set(modes)).toEqual(new Set(["600", "700"]));
    await hub.close();
    await hub.close();
    expect(readdirSync(state).sort()).toEqual([
      "attach",
      "ballast",
      "decision-heads.json",
      "events.db",
      "events.lock",
      "hub.lock",
      "kernels.json",
      "page-name.json",
      "policy.json",
      "policy.json.bak",
      "policy.sha256",
      "spool",
    ]);
  });

  it("refuses to be two, and can be the next", async () => {
    const state = stateIn(testFolder());
    const first = await hubIn(state);
    await expect(startHub({ state, port: 0 })).rejects.toMatchObject({ code: "HL_HUB_RUNNING" });
    expect(readHubFile(state)).toMatchObject({ state: "found", file: { instance: first.file.instance } });
    await first.close();
    const second = await hubIn(state);
    expect(second.file.token).not.toBe(first.file.token);
  });

  it("takes another port when its own is taken by a stranger, but not when it was asked for that one", async () => {
    const stranger = createServer((_, response) => response.end("ok"));
    await new Promise<void>((resolve) => stranger.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void stranger.close());
    const { port } = stranger.address() as AddressInfo;
    await expect(startHub({ state: stateIn(testFolder()), port })).rejects.toMatchObject({ code: "HL_PORT_TAKEN" });
  });

  it("has a name of its own for the page, where every address that it leads to is the hub's", async () => {
    const state = stateIn(testFolder());
    const first = await hubIn(state);
    const page = new URL(first.parts.url());
    expect([page.hostname, page.port]).toEqual([expect.stringMatching(/^h[a-z2-7]{16}\.localhost$/), new URL(first.file.url).port]);
    const bySix = connect(Number(page.port), "::1");
    onTestFinished(() => void bySix.destroy());
    expect(
      await once(bySix, "connect").then(
        () => true,
        () => false,
      ),
    ).toBe(hasSix);
    await first.close();
    expect(new URL((await hubIn(state)).parts.url()).hostname).toBe(page.hostname);
  });

  it.skipIf(!hasSix)("has none where another program listens on one of them, and says so", async () => {
    const [stranger, keeper] = [createServer((_, response) => response.end("ok")), createServer()];
    await once(keeper.listen(0, "127.0.0.1"), "listening");
    const { port } = keeper.address() as AddressInfo;
    await once(stranger.listen(port, "::1"), "listening");
    onTestFinished(() => void stranger.close());
    await once(keeper.close(), "close");
    const hub = await startHub({ state: stateIn(testFolder()), port });
    onTestFinished(() => hub.close());
    expect([hub.parts.url(), hub.parts.dashboardNames?.()]).toEqual([`http://127.0.0.1:${port}`, []]);
    expect([hub.notes, hub.parts.dashboardNote?.()]).toEqual([[expect.stringContaining(`[::1]:${port}`)], hub.notes[0]]);
  });

  it("carries events from a process that started first, over its own restart", async () => {
    const state = stateIn(testFolder());
    mkdirSync(state, { recursive: true, mode: 0o700 });
    const bus = createBus({ source: "agent" });
    const line = connectToHub(bus, { folder: state });
    onTestFinished(async () => void (await line.close()));
    expect(line.state).toBe("waiting");
    const first = await hubIn(state);
    await expect.poll(() => line.state).toBe("attached");
    bus.emit("agent:start", { session: { id: "s1" } });
    await line.flush();
    await first.close();
    for (let i = 0; i < 100; i++) bus.emit("agent:step", { session: { id: "s1" } });
    const second = await hubIn(state);
    await expect.poll(() => line.counters.acked).toBe(101);
    const { events } = await second.parts.store.page({ session: "s1" }, { limit: 200 });
    expect(events).toHaveLength(101);
    expect(second.parts.sources.list()).toMatchObject([{ source: { app: "agent" }, gaps: 0 }]);
  });

  it("runs the handlers of its file on what arrives, and its guards for those who ask", async () => {
    const folder = testFolder();
    const state = stateIn(folder);
    writeFileSync(
      join(folder, "guard.mjs"),
      'export function handle({ payload }) { if (payload.tool.input.command === "rm") return { block: true, reason: "not here" }; }',
    );
    const config = join(folder, "hub.toml");
    writeFileSync(config, '[[hook]]\nname = "no-rm"\nevent = "tool:before"\nmodule = "./guard.mjs"\n');
    const hub = await hubIn(state, { config });
    expect(hub.problems).toEqual([]);
    const gates: readonly RemoteGate[] = hub.parts.gates.list();
    expect(gates).toMatchObject([{ event: "tool:before", onFailure: "closed" }]);
    const bus = createBus({ source: "agent" });
    const line = connectToHub(bus, { folder: state });
    onTestFinished(async () => void (await line.close()));
    await expect.poll(() => line.state).toBe("attached");
    const ask = (command: string) => bus.decide("tool:before", { tool: { name: "bash", input: { command } } });
    expect(await ask("ls")).toMatchObject({ verdict: "pass" });
    expect(await ask("rm")).toMatchObject({ verdict: "deny", reason: expect.stringContaining("not here") });
    await hub.close();
    expect(await ask("ls")).toMatchObject({ allowed: false });
  });

  it("keeps what it guards beside hub.json, as it changes, and puts both back when they are removed", async () => {
    const folder = testFolder();
    const state = stateIn(folder);
    const config = join(folder, "hub.toml");
    const rule = (event: string) => `[[rule]]\nname = "no"\nevent = "${event}"\ndo = "block"\n`;
    writeFileSync(config, rule("tool:before"));
    const hub = await hubIn(state, { config });
    const kept = () => {
      const found = readGatesFile(state);
      return found.state === "found" ? found.file.gates.map(({ event, onFailure }) => [event, onFailure]) : found.state;
    };
    expect(kept()).toEqual([["tool:before", "closed"]]);
    writeFileSync(config, rule("prompt:submit"));
    await expect.poll(kept).toEqual([["prompt:submit", "closed"]]);
    for (const name of [HUB_FILE, GATES_FILE]) rmSync(join(state, name));
    await expect
      .poll(() => [readHubFile(state), kept()], { timeout: 60_000 })
      .toEqual([{ state: "found", file: hub.file }, [["prompt:submit", "closed"]]]);
    expect(hub.problems).toEqual([expect.stringContaining("was removed or changed while the hub ran")]);
    await hub.close();
    expect([readHubFile(state).state, kept()]).toEqual(["none", "none"]);
  });

  it("says that its sockets were removed", async () => {
    const hub = await hubIn(stateIn(testFolder()));
    rmSync(hub.file.line);
    await expect.poll(() => hub.problems).toEqual([expect.stringContaining(`"${hub.file.line}" was removed`)]);
  });

  it("leaves no old gates where the new ones cannot be written: without any, all are closed", async () => {
    const folder = testFolder();
    const state = stateIn(folder);
    const config = join(folder, "hub.toml");
    writeFileSync(config, "");
    const hub = await hubIn(state, { config });
    chmodSync(state, 0o770);
    writeFileSync(config, '[[rule]]\nname = "no"\nevent = "tool:before"\ndo = "block"\n');
    await expect.poll(() => existsSync(join(state, GATES_FILE))).toBe(false);
    expect(hub.problems.join()).toContain("chmod 700");
    chmodSync(state, 0o700);
    await expect.poll(() => readGatesFile(state)).toMatchObject({ file: { gates: [{ event: "tool:before" }] } });
  });

  it("tells who is attached to come back when the token changes", async () => {
    const state = stateIn(testFolder());
    const hub = await hubIn(state);
    const old = hub.file;
    const client = await LineClient.attached(old.line, old.token);
    hub.parts.rotateKeys("all");
    expect(await client.next(({ type }) => type === "bye")).toEqual({ type: "bye", reason: "token_rotated" });
    await expect(LineClient.attached(old.line, old.token)).rejects.toThrow(/bad_token/);
    const again = await LineClient.attached(old.line, hub.file.token);
    again.say(sampleEnvelope());
    await again.next(({ type }) => type === "ack");
    again.socket.destroy();
    expect(readHubFile(state)).toMatchObject({ file: { token: hub.file.token } });
  });

  it("keeps its token when the new one cannot be written down", async () => {
    const state = stateIn(testFolder());
    const hub = await hubIn(state);
    const { line, token } = hub.file;
    rmSync(join(state, "operator.json"));
    mkdirSync(join(state, "operator.json"));
    expect(() => hub.parts.rotateKeys("all")).toThrow(/operator.json/);
    expect(hub.file.token).toBe(token);
    (await LineClient.attached(line, token)).socket.destroy();
    rmdirSync(join(state, "operator.json"));
    hub.parts.rotateKeys("all");
    expect(readHubFile(state)).toMatchObject({ file: { token: hub.file.token } });
  });

  it("does not start on a file that cannot be read, and says where", async () => {
    const folder = testFolder();
    const config = join(folder, "hub.toml");
    writeFileSync(config, "[hub\n");
    await expect(startHub({ state: stateIn(folder), port: 0, config })).rejects.toMatchObject({
      code: "HL_CONFIG",
      message: expect.stringContaining(config),
    });
  });
});
