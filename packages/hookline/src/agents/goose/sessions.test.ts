import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import type { Envelope } from "@hookline/core/sinks";
import { expect, it, onTestFinished, vi } from "vitest";
import { testFolder } from "../../../../../test/support/test-folder.ts";
import { importSessions } from "../../hub/import/import-sessions.js";
import { goose as definition } from "./definition.js";
import { sessions } from "./sessions.js";

const goose = { ...definition, sessions };

/** Written by the real program: a prompt that asks for four calls, of which one fails, and a second one that asks for one. */
const written = readFileSync(fileURLToPath(new URL("../../../src/agents/goose/fixtures/sessions-1.34.0.sql", import.meta.url)), "utf8");

/** The database stays open, so that everything is still in its log, as while Goose runs. */
function openDatabase(home: string): DatabaseSync {
  const folder = join(home, ".local", "share", "goose", "sessions");
  mkdirSync(folder, { recursive: true });
  const database = new DatabaseSync(join(folder, "sessions.db"));
  onTestFinished(() => {
    if (database.isOpen) database.close();
  });
  database.exec("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0");
  database.exec(written);
  return database;
}

async function read(home: string) {
  const events: Envelope[] = [];
  const put = async (some: readonly Envelope[]) => {
    events.push(...some);
    return { stored: some.length, duplicates: 0 };
  };
  const [result] = await importSessions({ agents: [goose], env: { HOME: home }, since: 0, put });
  return { events, result };
}

it("becomes events in the words that rules use, of the session that hooks name", async () => {
  const home = testFolder();
  openDatabase(home);
  const { events, result } = await read(home);
  expect(result).toMatchObject({ agent: "goose", sessions: 1, unknown: {}, unreadable: 0, problems: [] });
  expect(events.map(({ event }) => event)).toEqual([
    "prompt:submit",
    ...Array.from({ length: 4 }, () => ["tool:before", "tool:after"]).flat(),
    "prompt:submit",
    "tool:before",
    "tool:after",
  ]);
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  for (const { session, payload } of events) {
    expect(session?.id).toBe("20261118_1");
    expect(payload).not.toHaveProperty("raw");
  }
  const [, before, after, , failed] = events;
  expect(before?.payload).toMatchObject({ cwd: "/home/ann/project", tool: { name: "Bash", input: { command: "echo hi" } } });
  expect(after?.payload).toMatchObject({ status: "ok", tool: { exitCode: 0, output: "hi" } });
  expect(failed?.payload).toMatchObject({ status: "error", tool: { isError: true, exitCode: 1 } });
});

it("reports rows of unknown kinds and damaged ones, and leaves no copy", async () => {
  const home = testFolder();
  const database = openDatabase(home);
  const add = (content: string): void =>
    void database
      .prepare(
        "INSERT INTO messages (message_id, session_id, role, content_json, created_timestamp) VALUES (?, '20261118_1', 'user', ?, 1)",
      )
      .run(`msg_${content.length}`, content);
  add('[{"type":"somethingNew"}]');
  add('[{"type":"text"');
  database.exec("CREATE TABLE calls (id TEXT); INSERT INTO calls VALUES ('x')");
  const scratch = testFolder();
  vi.stubEnv("TMPDIR", scratch);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { events, result } = await read(home);
  expect(events).toHaveLength(12);
  expect(JSON.stringify(result)).toMatch(/message of user with somethingNew/);
  expect(JSON.stringify(result)).toMatch(/table calls/);
  expect(result).toMatchObject({ unreadable: 1 });
  expect(readdirSync(scratch)).toEqual([]);
});
