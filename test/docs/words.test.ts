import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { constructions, verbless, violations } from "../../scripts/words/constructions.ts";
import { sentencesOf } from "../../scripts/words/prose.ts";
import { runNode } from "./repository.ts";

const folder = mkdtempSync(join(tmpdir(), "hookline-words-"));
afterAll(() => rmSync(folder, { recursive: true }));

function namesIn(path: string, content: string): string[] {
  return sentencesOf(path, content).flatMap((sentence) => violations(sentence).map(({ name }) => name));
}

const forbidden: readonly (readonly [sentence: string, name: string])[] = [
  ["So an answer without the seal is none.", "is none"],
  ["It is no gate.", "is no …"],
  ["Containers are no way around it.", "is no …"],
  ["Whoever had an old token reconnects.", "a person as the subject"],
  ["It is a promise that nobody awaits.", "a person as the subject"],
  ["Who sits on its port gets nothing.", "who as the subject"],
  ["What was checked is what counts.", "what … is what …"],
  ["It waits 30 s; of a webhook 10 s.", "of a … 10 s"],
  ["One can look from there.", "One can …"],
  ["A link to look changes nothing.", "a link to look"],
  ["The answer goes on as a verdict.", "goes on as"],
  ["A second token takes nothing away.", "takes nothing away"],
  ["It is sorted so that it is stable, so that a diff is short.", "so that … so that"],
  ["A field that there is not fails.", "that there is not"],
  ["The text that the model is to be told waits.", "is not to be"],
  ["It takes a caller with wishes.", "with wishes"],
  ["The file is read anew.", "archaic word"],
  ["Run the command that mends it.", "mend"],
  ["The call waits at the desk.", "desk"],
  ["Never the payload.", "no verb"],
];

const fine = [
  "There is no hub.",
  "If there is none, start one.",
  "The old token is no longer valid.",
  "None of these is a decision.",
  "If no guard decides, the hook prints nothing.",
  "A person who answers twice is told so.",
  "Who decided? The trail says so.",
  "It waits 10 s for a webhook.",
  "The first one can be removed.",
  "Run it so that the tests pass.",
  "Use `nobody` or `is none` as a name.",
  "It holds the text of a 10 s recording.",
];

describe("the list of constructions", () => {
  it.each(forbidden)("reports: %s", (sentence, name) => {
    expect(namesIn("page.md", sentence)).toContain(name);
  });

  it("has an example of each construction here", () => {
    const names = [...constructions, verbless].map(({ name }) => name);
    expect(new Set(forbidden.map(([, name]) => name))).toEqual(new Set(names));
  });

  it.each(fine)("leaves alone: %s", (sentence) => {
    expect(namesIn("page.md", sentence)).toEqual([]);
  });
});

describe("where prose is", () => {
  it("is in comments and strings of sources, not in code", () => {
    const source = [
      "// Nobody awaits",
      "// this promise.",
      `const nobody = /is none "of/.test('x') ? \`that is no \${nobody.name}\` : "desk";`,
      "/**",
      " * Is read anew.",
      " */",
    ].join("\n");
    expect(sentencesOf("a.ts", source).map(({ text, line }) => `${line}: ${text.trim()}`)).toEqual([
      "1: Nobody awaits this promise.",
      "3: that is no xxxxxxxxxxxxxx",
      "5: Is read anew.",
    ]);
  });

  it("is between the tags of a view", () => {
    expect(namesIn("a.tsx", "const view = <p>This is no gate <b>today</b></p>;")).toEqual(["is no …"]);
  });

  it("is not in fenced code, code spans or link targets", () => {
    expect(namesIn("page.md", "```sh\nthat is no gate\n```\n\nRun [it](that-is-none.md).")).toEqual([]);
  });

  it("is in each table cell, and a cell needs no verb", () => {
    expect(namesIn("page.md", "| Key | Meaning |\n| --- | --- |\n| `a` | The file. |\n| `b` | Is none. |")).toEqual(["is none"]);
  });
});

describe("scripts/check-words.ts", () => {
  it("reports file, line and advice, and fails", async () => {
    const path = join(folder, "bad.md");
    writeFileSync(path, "# Title\n\nThis is fine. A rewrite that changes nothing is none.\n");
    const { code, stderr } = await runNode(["scripts/check-words.ts", path]);
    expect(code).toBe(1);
    expect(stderr).toContain(`bad.md:3: is none: say what happens`);
  });

  it("passes on the repository", async () => {
    expect(await runNode(["scripts/check-words.ts"])).toEqual({ code: 0, stdout: "", stderr: "" });
  });
});
