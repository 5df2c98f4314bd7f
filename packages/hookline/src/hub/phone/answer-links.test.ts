import { expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/test-folder.ts";
import { openAnswerLinks } from "./answer-links.js";

const ORIGIN = "https://hookline.test";

function at(now: { ms: number }, state = testFolder(), origin: string | undefined = ORIGIN) {
  return openAnswerLinks({ state, origin, onProblem: (text) => expect.fail(text), now: () => now.ms });
}

function tokenOf(link: string | undefined): string {
  return new URL(link ?? "").hash.slice("#to.".length);
}

it("opens one question once, while it waits, also after a restart", () => {
  const now = { ms: 1_000_000 };
  const state = testFolder();
  const links = at(now, state);
  const [first, second, late] = [
    { id: "q-1", expiresAt: 1_060_000 },
    { id: "q-1", expiresAt: 1_060_000 },
    { id: "q-2", expiresAt: 1_010_000 },
  ].map((row) => tokenOf(links.linkTo(row)));
  expect(links.open(first as string)).toBe("q-1");
  expect(() => links.open(first as string)).toThrow("used before");
  const next = at(now, state);
  expect(() => next.open(first as string)).toThrow("used before");
  expect(next.open(second as string)).toBe("q-1");
  now.ms = 1_010_000;
  expect(() => next.open(late as string)).toThrow("is over");
});

it("refuses a link for another question, another address and another hub", () => {
  const now = { ms: 1_000_000 };
  const state = testFolder();
  const token = tokenOf(at(now, state).linkTo({ id: "q-1", expiresAt: 1_060_000 }));
  const other = at(now, state);
  for (const wrong of [token.replace("q-1", "q-2"), token.slice(0, -1), `${token}A`, "", "q-1.", "..", token.replace(".", "")])
    expect(() => other.open(wrong), wrong).toThrow("damaged");
  expect(() => at(now, state, "https://other.test").open(token)).toThrow("damaged");
  expect(() => at(now).open(token)).toThrow("damaged");
  expect(other.open(token)).toBe("q-1");
});

it("makes no link without a public address", () => {
  const links = openAnswerLinks({ state: testFolder(), origin: undefined, onProblem: () => {} });
  expect(links.linkTo({ id: "q-1", expiresAt: Date.now() + 1_000 })).toBeUndefined();
});
