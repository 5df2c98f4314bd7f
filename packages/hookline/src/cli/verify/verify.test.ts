import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { block, createBus } from "@hookline/core";
import { connectToHub } from "@hookline/core/forward";
import { createTranscript } from "@hookline/core/transcript";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createHomeInProcess } from "../../../../../test/support/cli-home.js";

vi.setConfig({ testTimeout: 120_000 });
// Real processes of the built command line, a real hub, and SQL behind its back.
const home = createHomeInProcess();
const store = join(home.state, "events.db");
const up = () => home.run("up", "--detach", "--port", "0");
beforeAll(async () => expect(await up()).toMatchObject({ code: 0 }), 60_000);
afterAll(() => home.close());

function tamper(sql: string): void {
  const database = new DatabaseSync(store, { timeout: 5_000 });
  database.exec(sql);
  database.close();
}

/** An agent that decides as often as it is told, with a transcript if one is wanted. */
async function runAgent(decisions: number, transcriptPath?: string): Promise<void> {
  const bus = createBus({ source: "agent" });
  bus.on("tool:before", () => block("no"), { name: "no" });
  const line = connectToHub(bus, { folder: home.state });
  const transcript = transcriptPath === undefined ? undefined : createTranscript({ path: transcriptPath });
  transcript?.attach(bus);
  for (let n = 0; n < decisions; n++) await bus.decide("tool:before", { tool: { name: "bash", input: { command: `rm ${n}` } } });
  transcript?.close();
  await line.flush();
  await line.close();
}

const verify = async (...args: string[]) => {
  const { code, out } = await home.run("verify", "--json", ...args);
  return { code, ...(JSON.parse(out) as { readonly problems: { kind: string }[]; readonly head: { n: number; hash: string } }) };
};
const kindsOf = ({ problems }: { readonly problems: readonly { readonly kind: string }[] }) => problems.map(({ kind }) => kind);

describe("hookline verify", () => {
  it("says that the record is intact, how many decisions it has, and its head, with a hub and without", async () => {
    await runAgent(4);
    const running = await home.run("verify");
    expect(running).toMatchObject({ code: 0, err: expect.stringContaining("intact") });
    expect(running.out).toMatch(/decisions 4 decisions in the chain, since 2\d{3}-.*\nhead +4:[0-9a-f]{64}\n/);
    const { head } = await verify();
    expect(JSON.parse((await home.run("status", "--json")).out)).toMatchObject({ decisions: { n: 4, hash: head.hash, missing: 0 } });
    expect(await verify("--head", `${head.n}:${head.hash}`)).toMatchObject({ code: 0 });
    expect(kindsOf(await verify("--head", `${head.n + 3}:${head.hash}`))).toEqual(["cut off"]);
    expect(await home.run("verify", "--head", "nonsense")).toMatchObject({ code: 2 });
    await home.run("down");
    expect(await verify("--head", `${head.n}:${head.hash}`)).toMatchObject({ code: 0, decisions: 4 });
  });

  it("finds what was done to the file of a stopped hub; the next hub says that decisions are missing, and goes on saying so", async () => {
    copyFileSync(store, `${store}.whole`);
    tamper("UPDATE events SET body = replace(body, 'rm 1', 'ls 1') WHERE body LIKE '%rm 1%'");
    const edited = await home.run("verify");
    expect(edited).toMatchObject({ code: 1, err: expect.stringMatching(/edited: The event \S+ at position \d+, of 2\d{3}-/) });
    copyFileSync(`${store}.whole`, store);
    expect(await verify()).toMatchObject({ code: 0 });
    // The tail, with its entries: only the head in the state folder knows of it.
    tamper("DELETE FROM events WHERE place IN (SELECT place FROM chain WHERE n >= 4); DELETE FROM chain WHERE n >= 4");
    expect(await verify()).toMatchObject({ code: 1, problems: [{ kind: "cut off" }] });
    await up();
    await runAgent(3);
    expect(readFileSync(join(home.state, "hub.log"), "utf8")).toContain("Run: hookline verify");
    expect((await home.run("status")).err).toContain("hookline verify");
    expect(await verify()).toMatchObject({ code: 1 });
    // The way out that is named.
    await home.run("down");
    rmSync(join(home.state, "decision-heads.json"));
    copyFileSync(`${store}.whole`, store);
    for (const name of ["-wal", "-shm"]) rmSync(store + name, { force: true });
    await up();
    expect(await verify()).toMatchObject({ code: 0 });
  });

  it("finds what is done to the file of a hub that runs", async () => {
    tamper("DELETE FROM events WHERE place IN (SELECT place FROM chain WHERE n >= 4); DELETE FROM chain WHERE n >= 4");
    expect(kindsOf(await verify())).toContain("cut off");
    await runAgent(1);
    expect(await verify()).toMatchObject({ code: 1, problems: [{ kind: "removed" }] });
  });
});

describe("hookline verify <transcript>", () => {
  it("compares a transcript with the heads that the hub has received: finds a cut tail and a recomputed chain", async () => {
    const path = join(home.folder, "agent.jsonl");
    await runAgent(3, path);
    const whole = readFileSync(path, "utf8");
    expect(await home.run("verify", path, "--strict")).toMatchObject({
      code: 0,
      out: expect.stringContaining("closed"),
      err: expect.stringContaining("intact"),
    });

    const lines = whole.trimEnd().split("\n");
    const moved = home.write("moved.jsonl", `${lines.slice(0, -3).join("\n")}\n`);
    expect(kindsOf(await verify(moved))).toEqual(["truncated"]);
    expect(await verify(moved)).toMatchObject({ code: 1, closed: false });

    // Another agent's transcript in its place is intact in itself, and unknown.
    const other = join(home.folder, "other.jsonl");
    const transcript = createTranscript({ path: other });
    transcript.attach(createBus());
    transcript.close();
    expect(await home.run("verify", other)).toMatchObject({ code: 0, out: expect.stringContaining("no head") });
    expect(await home.run("verify", other, "--strict")).toMatchObject({ code: 1 });

    await home.run("down");
    expect(await verify(path)).toMatchObject({ code: 0, known: expect.any(Number) });
    expect(kindsOf(await verify(moved))).toEqual(["truncated"]);
    writeFileSync(path, whole.replace('"rm 1"', '"ls 1"'));
    expect(kindsOf(await verify(path))).toContain("edited");
    expect(await home.run("verify", join(home.folder, "nothing.jsonl"))).toMatchObject({
      code: 1,
      err: expect.stringContaining("There is no file"),
    });
  });
});
