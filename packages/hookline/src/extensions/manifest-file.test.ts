import { describe, expect, it } from "vitest";
import { formatProblem } from "../config/problem.js";
import { parseFolderManifest } from "./folder/hook-yaml.js";

const problemsOf = (text: string) => parseFolderManifest(text, "/f/HOOK.yaml").problems.map(formatProblem);

describe("what is wrong in a manifest", () => {
  it("is said with the name of the key, also within a list", () => {
    expect(problemsOf("events: [tool:befor]\n")).toEqual([
      expect.stringMatching(/^\/f\/HOOK\.yaml:1:10: events\[0\]: "events" is wrong: Unknown event "tool:befor"/),
    ]);
  });

  it("is a whole sentence if the file is not YAML", () => {
    const [problem = ""] = problemsOf("events: [tool:before]\nmatch: a: b\n");
    expect(problem).toMatch(/^\/f\/HOOK\.yaml:2:8: The file is not YAML: Nested mappings .*[a-z]\.$/);
  });

  it("speaks of the file if the file is one value", () => {
    expect(problemsOf("just text")).toEqual([expect.stringMatching(/^\/f\/HOOK\.yaml:1:1: The file must be keys with values/)]);
  });

  it("points at the character of a match, in one line", () => {
    expect(problemsOf("events: [tool:before]\nmatch: \"tool.name =~ '('\"\n")).toEqual([
      '/f/HOOK.yaml:2:1: match: "match" is wrong at character 14: This is not a regular expression: missing closing ): `(`.',
    ]);
  });
});
