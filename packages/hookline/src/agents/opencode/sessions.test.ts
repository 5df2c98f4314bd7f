import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import type { Envelope } from "@hookline/core/sinks";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { importSessions } from "../../hub/import/import-sessions.js";
import { openCode as definition } from "./definition.js";
import { sessions } from "./sessions.js";

const openCode = { ...definition, sessions };

/** Written by the real program: the prompt asks for eleven calls, one of which is a subagent with a call of its own; a second prompt for one. */
const VERSIONS = ["1.1.65", "1.2.27", "1.18.33"];
const DAY_S = 86_400;

function fixture(name: string): string {
  return readFileSync(fileURLToPath(new URL(`../../../src/agents/opencode/fixtures/${name}`, import.meta.url)), "utf8");
}

function newHome(): { readonly home: string; readonly data: string } {
  const home = mkdtempSync(join(tmpdir(), "hl-opencode-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const data = join(home, ".local", "share", "opencode");
  mkdirSync(data, { recursive: true });
  return { home, data };
}

/** The database stays open, so that everything is still in its log, as while OpenCode runs. */
function openDatabase(data: string, version: string): DatabaseSync {
  const database = new DatabaseSync(join(data, "opencode.db"));
  onTestFinished(() => {
    if (database.isOpen) database.close();
  });
  database.exec("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; PRAGMA foreign_keys = OFF");
  database.exec(fixture(`opencode-${version}.sql`));
  return database;
}

function homeOf(version: string): ReturnType<typeof newHome> {
  const made = newHome();
  if (version !== "1.1.65") openDatabase(made.data, version);
  else
    for (const line of fixture(`storage-${version}.jsonl`).trimEnd().split("\n")) {
      const [path, record] = JSON.parse(line) as [string, object];
      mkdirSync(dirname(join(made.data, "storage", path)), { recursive: true });
      writeFileSync(join(made.data, "storage", path), JSON.stringify(record, undefined, 2));
    }
  return made;
}

async function read(home: string, since = 0) {
  const events: Envelope[] = [];
  const put = async (some: readonly Envelope[]) => {
    events.push(...some);
    return { stored: some.length, duplicates: 0 };
  };
  const [result] = await importSessions({ agents: [openCode], env: { HOME: home }, since, put });
  return { events, result };
}

/** Every file with its size, time and content. */
function stateOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .sort()
    .flatMap((name) => {
      const { size, mtimeMs } = statSync(join(folder, name));
      return statSync(join(folder, name)).isFile() ? [`${name} ${size} ${mtimeMs} ${readFileSync(join(folder, name), "base64")}`] : [name];
    });
}

describe.each(VERSIONS)("sessions of OpenCode %s", (version) => {
  it("become events in the words that rules use, and no file is touched", async () => {
    const { home, data } = homeOf(version);
    const before = stateOf(data);
    const scratch = join(home, "tmp");
    mkdirSync(scratch);
    vi.stubEnv("TMPDIR", scratch);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { events, result } = await read(home);
    expect(stateOf(data)).toEqual(before);
    expect(readdirSync(scratch)).toEqual([]);
    expect(result).toMatchObject({ sessions: 2, unknown: {}, unreadable: 0, problems: [] });
    const counts: { [event: string]: number } = {};
    for (const { event } of events) counts[event] = (counts[event] ?? 0) + 1;
    expect(counts).toEqual({ "prompt:submit": 2, "tool:before": 13, "tool:after": 13, "llm:after": 16 });
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
    const payloads = (event: string) => events.filter((one) => one.event === event).map(({ payload }) => payload);
    // The files have no order; a subagent's may come first.
    const isMain = (payload: unknown) => (payload as { session: { parentId?: string } }).session.parentId === undefined;
    expect(payloads("tool:before").filter(isMain).slice(0, 4)).toMatchObject([
      { cwd: "/home/ann/project", tool: { name: "Bash", runtimeName: "bash", input: { command: "echo hi > a.txt; cat a.txt" } } },
      { tool: { name: "Read", input: { path: "/home/ann/project/a.txt" } } },
      { tool: { name: "Write", input: { path: "/home/ann/project/b.txt", content: "one\n" } } },
      { tool: { name: "Edit", input: { path: "/home/ann/project/b.txt" } } },
    ]);
    expect(payloads("tool:after").filter(isMain)[0]).toMatchObject({ tool: { output: "hi\n", exitCode: 0, callId: expect.any(String) } });
    expect(payloads("tool:after")).toContainEqual(
      expect.objectContaining({ tool: expect.objectContaining({ isError: true, output: expect.stringContaining("not found") }) }),
    );
    expect(payloads("llm:after")[0]).toMatchObject({
      agent: { platform: "opencode", model: "fake-model" },
      usage: { inputTokens: 10, outputTokens: 5, costUsd: 0.00002 },
      imported: { version },
    });
    const main = events.find(({ payload }) => isMain(payload))?.session?.id;
    expect(payloads("tool:before")).toContainEqual(
      expect.objectContaining({
        session: { id: expect.not.stringMatching(String(main)), parentId: main },
        tool: expect.objectContaining({ input: expect.objectContaining({ command: "echo sub" }) }),
      }),
    );
  });
});

describe("OpenCode's database", () => {
  it("counts rows and tables of unknown kinds, and data that is not JSON", async () => {
    const { home, data } = newHome();
    const database = openDatabase(data, "1.18.33");
    const part = (id: string, text: string): void => {
      const { message_id, session_id } = database.prepare("SELECT message_id, session_id FROM part LIMIT 1").get() as {
        [key: string]: string;
      };
      database.prepare("INSERT INTO part VALUES (?, ?, ?, 1, 1, ?)").run(id, message_id ?? "", session_id ?? "", text);
    };
    part("prt_z1", '{"type":"hologram"}');
    part("prt_z2", "{broken");
    part("prt_z3", `{"type":"tool","x":${"[".repeat(5_000)}${"]".repeat(5_000)}}`);
    part("prt_z4", '{"type":"tool","tool":{},"state":{"input":[1],"status":7}}');
    // Further keys for the record, beside the part.
    part("prt_z5", '{"type":"text","text":"x"},"id":"prt_other","at":1');
    database.exec("CREATE TABLE tomorrow (a); INSERT INTO tomorrow VALUES (1), (2)");
    const { result, events } = await read(home);
    expect(result).toMatchObject({ unknown: { "part hologram of user": 1, "table tomorrow": 2 }, unreadable: 3, problems: [] });
    expect(events.length).toBe(45);
  });

  it("is left out, with a reason, if it is not a database or has other tables", async () => {
    for (const write of [
      (path: string) => writeFileSync(path, "no database, but long enough to be read as one".repeat(200)),
      (path: string) => {
        const database = new DatabaseSync(path);
        database.exec("CREATE TABLE a (b); CREATE VIEW part AS SELECT 1 AS id");
        database.close();
      },
    ]) {
      const { home, data } = newHome();
      write(join(data, "opencode.db"));
      const { result, events } = await read(home);
      expect(events).toEqual([]);
      expect(result?.problems).toEqual([expect.stringContaining(join(data, "opencode.db"))]);
    }
  });

  it("is found by the time of its log, and a link is not followed", async () => {
    const { home, data } = newHome();
    openDatabase(data, "1.18.33");
    const file = join(data, "opencode.db");
    const old = Date.now() / 1_000 - 90 * DAY_S;
    utimesSync(file, old, old);
    const { mtimeMs } = statSync(`${file}-wal`);
    expect((await read(home, mtimeMs - 1_000)).result).toMatchObject({ files: 1 });
    const other = newHome();
    symlinkSync(file, join(other.data, "opencode.db"));
    expect((await read(other.home)).result).toMatchObject({ files: 0, links: 1 });
  });
});
