import { describe, expect, it } from "vitest";
import { FILTER_NAMES, filterLine, parseFilter, problemIn } from "./filter-line.js";

function given(line: string): object {
  const filter = parseFilter(line);
  return Object.fromEntries(FILTER_NAMES.filter((name) => filter[name].length > 0).map((name) => [name, filter[name]]));
}

describe("the line of the filter", () => {
  it("has fields, and words to search for, with their quotes", () => {
    expect(given('event:tool:* event:llm:* verdict:deny session:"a b" force "git push" text:x')).toEqual({
      event: ["tool:*", "llm:*"],
      decision: ["deny"],
      session: ["a b"],
      text: ['force "git push" x'],
    });
    expect(given("https://example.com a=b")).toEqual({ text: ["https://example.com a=b"] });
  });

  it("says the same when it is written out again", () => {
    for (const line of ['event:tool:* session:"a b" "git push" x', "text:foo:bar", "decision:deny", 'text:"a b" c', ""])
      expect(parseFilter(filterLine(parseFilter(line)))).toEqual(parseFilter(line));
    expect(problemIn(filterLine({ ...parseFilter(""), text: ["foo:bar baz"] }))).toBeUndefined();
  });

  it("names its fields to who misspells one", () => {
    expect(problemIn("decision:deny prompt:submit")).toBe(
      'There is no field "prompt". The fields are event, tool, decision, session, host, source, since, until, text. ' +
        'To search for the words, write "prompt:submit"; for an event of this name, event:prompt:submit',
    );
    for (const line of ['"foo:bar"', "text:foo:bar", "https://example.com", "a=b", "app:codex", "src/a.ts:12", ""])
      expect(problemIn(line)).toBeUndefined();
  });
});
