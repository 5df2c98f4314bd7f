import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { dialectNames } from "../../packages/hookline/src/config/config.ts";
import { removeFolder } from "../support/remove-folder.ts";
import { type Answer, answers, type Verdict } from "./answers.ts";
import { NEVER, openWays, printedIn, type Way } from "./ways.ts";

const folder = mkdtempSync(join(tmpdir(), "hookline-answers-"));
let ways: { readonly [way: string]: Way } = {};
beforeAll(async () => {
  ways = await openWays(folder, answers);
});
afterAll(async () => {
  await Promise.all(Object.values(ways).map((way) => way.close?.()));
  await removeFolder(folder);
});

async function verdictsOf({ ask, has }: Way, mode: "open" | "closed") {
  const verdicts: { [what: string]: string } = {};
  for (const [place, answer] of answers.entries()) if (has(answer)) verdicts[answer.what] = (await ask(place, mode)).verdict;
  return verdicts;
}

function expected({ has }: Way, verdictOf: (answer: Answer) => Verdict) {
  return Object.fromEntries(answers.filter(has).map((answer) => [answer.what, verdictOf(answer)]));
}

it("has no answer twice", () => {
  expect(new Set(answers.map(({ what }) => what)).size).toBe(answers.length);
  expect(answers.length).toBeGreaterThan(450);
});

it.each(["code", "module", "folder", "process", "python"])("means the same by %s as by any other way", async (name) => {
  const way = ways[name] as Way;
  expect(await verdictsOf(way, "closed")).toEqual(expected(way, ({ closed }) => closed));
  expect(await verdictsOf(way, "open")).toEqual(expected(way, ({ open }) => open));
});

it.each(["code", "module", "folder", "process"])("times out by %s if it is a thenable that never settles", async (name) => {
  const { ask } = ways[name] as Way;
  expect(await ask(NEVER, "closed")).toMatchObject({ verdict: "deny", cause: { failure: "timeout" } });
  expect(await ask(NEVER, "open")).toMatchObject({ verdict: "pass" });
});

const RANKS: readonly string[] = ["allow", "pass", "ask", "deny"];

/** Where a stricter reader lets through what the table does not. */
async function looser(way: Way, mode: "open" | "closed"): Promise<string[]> {
  const verdicts = await verdictsOf(way, mode);
  return answers
    .filter((answer) => way.has(answer) && RANKS.indexOf(verdicts[answer.what] as string) < RANKS.indexOf(answer[mode]))
    .map((answer) => `${answer.what}: ${verdicts[answer.what]} instead of ${answer[mode]}`);
}

it.each(dialectNames)("lets nothing more through in the dialect %s", async (dialect) => {
  const way = printedIn(dialect, answers);
  expect(await looser(way, "closed")).toEqual([]);
  expect(await looser(way, "open")).toEqual([]);
});

it.each(["open", "closed"] as const)("means the same over HTTP as on stdout (%s)", async (mode) => {
  expect(await verdictsOf(ways.url as Way, mode)).toEqual(await verdictsOf(printedIn("own", answers), mode));
});

it("means the same in the words of Hookline's own dialect", async () => {
  const own = /^\{"decision":"(allow|ask|deny|pass)"(,"(reason|inject)":"[^"]*")*\}$/;
  const way = { ...printedIn("own", answers), has: ({ json = "" }: Answer) => own.test(json) };
  expect(await verdictsOf(way, "closed")).toEqual(expected(way, ({ closed }) => closed));
  expect(await verdictsOf(way, "open")).toEqual(expected(way, ({ open }) => open));
});
