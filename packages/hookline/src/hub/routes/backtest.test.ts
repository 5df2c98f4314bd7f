import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startHub } from "hookline/hub";
import { expect, it, onTestFinished } from "vitest";
import { testFolder } from "../../../../../test/support/test-folder.ts";
import type { BacktestAnswer } from "../protocol.js";

const rule = `[[rule]]\nname = "no-rm"\ntool = "Bash"\nmatch = "tool.input.command =~ '^rm '"\ndo = "block"\n`;

it("tries rules as text and rules in force on the recorded calls, in a thread of its own", async () => {
  const home = testFolder();
  const state = join(home, "state");
  mkdirSync(state, { mode: 0o700 });
  const config = join(home, "hookline.toml");
  writeFileSync(config, rule);
  const hub = await startHub({ state, runtime: state, port: 0, mode: "plain", config, onProblem: () => {} });
  onTestFinished(() => hub.close());
  const { token } = JSON.parse(readFileSync(join(state, "operator.json"), "utf8")) as { readonly token: string };
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const post = (path: string, body: object, signal?: AbortSignal) =>
    fetch(hub.file.url + path, { method: "POST", headers, body: JSON.stringify(body), ...(signal && { signal }) });
  for (const command of ["rm x", "ls", "git push"])
    await post("/api/decide", {
      event: "tool:before",
      payload: { tool: { name: "Bash", input: { command } } },
      record: true,
      source: { app: "asker" },
    });
  const backtest = async (body: object) => (await (await post("/api/rules/backtest", body)).json()) as BacktestAnswer;

  expect(await backtest({ name: "no-rm" })).toMatchObject({
    calls: 3,
    same: 3,
    now: { block: 1 },
    rules: [{ name: "no-rm", matched: 1, days: [{ matched: 1 }] }],
  });
  const push = rule.replaceAll("rm ", "git push").replace("no-rm", "no-push");
  expect(await backtest({ rules: push })).toMatchObject({
    changes: { block: 1 },
    examples: [{ was: "pass", now: "block", by: "no-push" }],
  });
  expect(await backtest({ rules: push, limit: 1 })).toMatchObject({ calls: 1 });
  for (const [body, status, message] of [
    [{ rules: "[[rule" }, 400, /TOML/],
    [{ rules: '[[rule]]\nname = "x"\ndo = "blok"\n' }, 400, /block/],
    [{ rules: "" }, 400, /no \[\[rule\]\]/],
    [{}, 400, /rules.* or .*name/],
    [{ name: "none" }, 404, /no rule/],
    [{ rules: push, since: "soon" }, 400, /since/],
  ] as const) {
    const answer = await post("/api/rules/backtest", body);
    expect([answer.status, await answer.text()]).toEqual([status, expect.stringMatching(message)]);
  }
  // A client that goes away ends its backtest, and the next one is answered.
  const abort = new AbortController();
  const gone = post("/api/rules/backtest", { rules: push }, abort.signal).catch((error: Error) => error.name);
  abort.abort();
  expect(await gone).toBe("AbortError");
  expect(await backtest({ rules: push })).toMatchObject({ isComplete: true });
});
