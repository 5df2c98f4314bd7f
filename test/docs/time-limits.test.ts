import { DEFAULT_APPROVAL_TIMEOUT_MS, DEFAULT_HANDLER_TIMEOUT_MS } from "@hookline/core/internal";
import { expect, it } from "vitest";
import { read } from "./repository.js";

/** Whether a table of the page has a row for the option with this default. */
function states(page: string, option: string, value: string): boolean {
  return read(page)
    .split("\n")
    .some((line) => line.startsWith(`| \`${option}\` `) && line.includes(` \`${value}\` `));
}

it("the guides state the default time limits of the code", () => {
  expect(states("docs/dispatch.md", "timeoutMs", String(DEFAULT_HANDLER_TIMEOUT_MS))).toBe(true);
  expect(states("docs/dispatch.md", "askTimeoutMs", String(DEFAULT_APPROVAL_TIMEOUT_MS))).toBe(true);
  expect(states("docs/configuration.md", "askTimeout", `"${DEFAULT_APPROVAL_TIMEOUT_MS / 60_000}m"`)).toBe(true);
});
