import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createCliHome } from "../../../../../test/support/cli-home.ts";
import { startOnTerminal } from "../../../../../test/support/on-terminal.ts";
import { runAsShown } from "../../../../../test/support/run-as-shown.js";

const CANARY = "canaryxyzzy4711";

function filesWith(word: string, folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes(word));
}

async function hubWithSessions() {
  const home = createCliHome();
  onTestFinished(() => home.close());
  const sink = `[[sink]]\ntype = "archive"\npath = "${join(home.folder, "archive")}"\ngzip = false\nbatch = { maxDelayMs = 100 }\n`;
  home.write("config/hookline/hookline.toml", `[[rule]]\nname = "no"\nevent = "tool:before"\ndo = "block"\n\n${sink}`);
  expect(await home.run("up", "--detach", "--port", "0")).toMatchObject({ code: 0 });
  const file = JSON.parse(readFileSync(join(home.state, "hub.json"), "utf8")) as { readonly url: string; readonly token: string };
  /** A decision of a session, stored with its trail. */
  const decide = async (session: string, command: string) => {
    const body = JSON.stringify({
      event: "tool:before",
      payload: { tool: { name: `tool-of-${session}`, input: { command } } },
      session: { id: session },
      record: true,
      source: { app: "tester" },
    });
    const headers = { authorization: `Bearer ${file.token}`, "content-type": "application/json" };
    const answer = await fetch(`${file.url}/api/decide`, { method: "POST", headers, body });
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("deny")]);
  };
  const title = (session: string, prompt: string) =>
    home.run("emit", "prompt:submit", "--session", session, "--payload", JSON.stringify({ prompt, model: "opus", cwd: "/src/shop" }));
  return { ...home, decide, title };
}

it("deletes a session for good, exports, removes old events, and puts a backup back", { timeout: 300_000 }, async () => {
  const home = await hubWithSessions();
  for (let n = 0; n < 30; n++) await home.decide(n % 2 === 0 ? "gone" : "kept", n % 2 === 0 ? `echo ${CANARY} ${n}` : `echo stays ${n}`);
  await expect.poll(async () => (await home.run("tail", "--no-follow", "--text", CANARY)).out, { timeout: 60_000 }).toContain(CANARY);
  expect(filesWith(CANARY, home.state)).not.toEqual([]);
  const archive = join(home.folder, "archive");
  await expect.poll(() => existsSync(archive) && filesWith(`${CANARY} 28`, archive).length > 0, { timeout: 60_000 }).toBe(true);

  expect(await home.run("sessions", "delete", "gone")).toMatchObject({ code: 2, err: expect.stringContaining("--yes") });
  const aside = join(home.state, "damaged-2026-01-01T00-00-00-000Z");
  mkdirSync(aside);
  const half = join(home.state, "events-before-2026-01-01-v1.db.half");
  writeFileSync(half, CANARY);
  const deleted = await home.run("sessions", "delete", "gon", "--yes");
  expect(deleted.err).toContain(`${aside} may still hold it`);
  expect(existsSync(half)).toBe(false);
  expect(deleted).toMatchObject({ code: 0, out: "gone\n", err: expect.stringContaining("15 events of 1 session") });
  expect(filesWith(CANARY, home.state)).toEqual([]);
  expect(filesWith("tool-of-gone", home.state)).toEqual([]);
  expect(deleted.err).toContain("Deleted at archive: ");
  expect([filesWith(CANARY, archive), filesWith("stays", archive).length > 0]).toEqual([[], true]);
  const verified = await home.run("verify");
  expect(verified).toMatchObject({ code: 0, err: expect.stringContaining("The record is intact.") });
  expect(verified.out).toMatch(/deleted +session gone, with 15 decisions, by \S+ at 2/);
  expect((await home.run("sessions", "--json")).out).not.toContain("gone");
  expect(await home.run("sessions", "delete", "gone", "--yes")).toMatchObject({
    code: 1,
    err: expect.stringContaining("hookline sessions"),
  });

  // Any beginning that only one session has names it, and nothing else does.
  expect(await home.title("kept", "Mend\n the  cart")).toMatchObject({ code: 0 });
  expect(await home.title("kept-too", "Another")).toMatchObject({ code: 0 });
  const listed = (await home.run("sessions")).out;
  expect(listed).toMatch(/^SESSION +TITLE +AGENT +MODEL +PROJECT/);
  expect(listed).toMatch(/^kept +Mend the cart +\S+ +opus +shop /m);
  expect((await home.run("tail", "--no-follow", "-s", "kept-", "--json")).out).toContain("Another");
  for (const command of [["tail", "--no-follow"], ["export"]]) {
    expect(await home.run(...command, "-s", "nonsense")).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringContaining('begins with "nonsense"'),
    });
    expect(await home.run(...command, "-s", "kep")).toMatchObject({ code: 2, err: expect.stringContaining("kept-too, kept.") });
  }
  const nothing = join(home.folder, "nothing.html");
  expect(await home.run("export", nothing, "--tool", "no-such-tool")).toMatchObject({
    code: 1,
    err: expect.stringContaining("No stored event matches"),
  });
  expect(existsSync(nothing)).toBe(false);
  // What `tail` prints, `show` takes.
  const [shown = ""] = (await home.run("tail", "--no-follow", "-n", "1", "-s", "kept-")).out.split("\n");
  const id = shown.split(/ +/)[1] as string;
  expect(id).toHaveLength(11);
  expect((await home.run("show", id)).out).toContain("Another");
  expect(await home.run("show", id.slice(0, 5))).toMatchObject({ code: 1, err: expect.stringContaining("There is no event") });

  const path = join(home.folder, "out.jsonl");
  const foreign = home.write("foreign.txt", "foreign");
  symlinkSync(foreign, `${path}.half`);
  expect(await home.run("export", path, "--session", "kept")).toMatchObject({ code: 0, out: `${path}\n` });
  expect([readFileSync(foreign, "utf8"), lstatSync(path).isFile()]).toEqual(["foreign", true]);
  expect(readFileSync(path, "utf8").trim().split("\n")).toHaveLength(16);
  expect(await home.run("export", path)).toMatchObject({ code: 2, err: expect.stringContaining("--force") });
  expect((await home.run("export", "-f", "csv", "-n", "1")).out).toMatch(/^at,event,app/);

  if (process.platform === "linux") {
    // A terminal would act on it, also in a cell that needs no quotes.
    await home.decide("kept\u001b]0;owned\u0007\u202e", "echo stays");
    const shown = startOnTerminal(home, ["export", "-f", "csv", "-n", "1"]);
    expect(await shown.ended).toBe(0);
    expect(shown.out).toContain("kept\\x1b]0;owned\\x07\\u202e");
    for (const sign of ["\u0007", "\u001b", "\u202e"]) expect(shown.out).not.toContain(sign);
    expect((await home.run("export", "-f", "csv", "-n", "1")).out).toContain("\u202e");
  }

  const backup = join(home.folder, "backup");
  expect(await home.run("backup", backup)).toMatchObject({ code: 0, out: `${backup}\n` });
  expect(existsSync(join(backup, "state", "attach", "key"))).toBe(false);
  expect(await home.run("backup", backup)).toMatchObject({ code: 2 });

  expect(await home.run("prune")).toMatchObject({ code: 2 });
  expect((await home.run("prune", "--older-than", "0s", "--dry-run")).out).toMatch(/^\d\d\n$/);
  expect(await home.run("prune", "--older-than", "0s", "--yes")).toMatchObject({ code: 0 });
  expect((await home.run("sessions", "--json")).out).not.toContain("kept");

  expect(await home.run("restore", backup)).toMatchObject({ code: 1, err: expect.stringContaining("hookline down") });
  expect(await home.run("down")).toMatchObject({ code: 0 });
  expect(await home.run("restore", backup)).toMatchObject({ code: 2, err: expect.stringContaining("--digest") });
  expect(await runAsShown(home, "restore", backup)).toMatchObject({ code: 0 });
  expect(await home.run("up", "--detach", "--port", "0")).toMatchObject({ code: 0 });
  expect((await home.run("sessions", "--json")).out).toContain("kept");
  expect(await home.run("verify")).toMatchObject({ code: 0 });
  writeFileSync(join(backup, "config", "hookline.toml"), "");
  expect(await home.run("restore", backup, "--dry-run")).toMatchObject({ code: 1, err: expect.stringContaining("was changed") });
});
