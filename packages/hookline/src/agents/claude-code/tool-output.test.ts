import { describe, expect, it } from "vitest";
import { claudeOutput } from "./tool-output.js";

const bash = { stdout: "the secret", stderr: "", interrupted: false, isImage: false, noOutputExpected: false };
const read = { type: "text", file: { filePath: "/srv/a.txt", content: "the secret", numLines: 1, startLine: 1, totalLines: 1 } };
const image = { type: "image", file: { base64: "aGk=", type: "image/png", originalSize: 80 } };
const grep = { mode: "files_with_matches", filenames: ["secret.txt", "b.txt"], numFiles: 2 };

describe("another output of a tool of Claude Code", () => {
  it("is the value itself if it differs from the original only in texts", () => {
    const redacted = { ...bash, stdout: "the ***" };
    expect(claudeOutput(redacted, { tool: "Bash", original: bash })).toBe(redacted);
    const shorter = { ...grep, filenames: ["***"] };
    expect(claudeOutput(shorter, { tool: "Grep", original: grep })).toBe(shorter);
  });

  it("has a text in the shape that Claude Code checks", () => {
    const withheld = "[withheld: no]";
    expect(claudeOutput(withheld, { tool: "Bash", original: bash })).toEqual({
      stdout: withheld,
      stderr: "",
      interrupted: false,
      isImage: false,
    });
    const file = { filePath: "", content: withheld, numLines: 1, startLine: 1, totalLines: 1 };
    for (const original of [read, image]) expect(claudeOutput(withheld, { tool: "Read", original })).toEqual({ type: "text", file });
    expect(claudeOutput(withheld, { tool: "Grep", original: grep })).toEqual({
      mode: "files_with_matches",
      filenames: [withheld],
      numFiles: 1,
    });
  });

  it("keeps no text of the original in an unknown shape", () => {
    const original = {
      status: "completed",
      content: [
        { type: "text", text: "the secret" },
        { type: "text", text: "more" },
      ],
      total: 3,
      note: "",
    };
    expect(claudeOutput("X", { tool: "Agent", original })).toEqual({
      status: "completed",
      content: [{ type: "text", text: "X" }],
      total: 1,
      note: "",
    });
    // What says of what kind it is may be the secret itself, if it does not look like a word of a program.
    expect(claudeOutput("X", { tool: "New", original: { type: "Secret-1", kind: "text" } })).toEqual({ type: "X", kind: "text" });
    const picture = { content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } }] };
    expect(claudeOutput("X", { tool: "New", original: picture })).toEqual({ content: [{ type: "text", text: "X" }] });
  });

  it("is text if the value has another shape than the original", () => {
    expect(claudeOutput({ ...bash, stdout: "the ***", interrupted: "yes" }, { tool: "Bash", original: bash })).toMatchObject({
      stdout: "the ***",
      interrupted: false,
    });
    expect(claudeOutput({ ...grep, mode: "other" }, { tool: "Grep", original: grep })).toMatchObject({ mode: "files_with_matches" });
    expect(claudeOutput({ stdout: "short" }, { tool: "Bash", original: bash })).toMatchObject({ stdout: '{"stdout":"short"}' });
  });

  it("is text or blocks of text for a tool of an MCP server", () => {
    const original = [{ type: "text", text: "the secret" }];
    const call = { tool: "mcp__files__read", original };
    expect(claudeOutput("X", call)).toBe("X");
    expect(claudeOutput([{ type: "text", text: "X" }], call)).toEqual([{ type: "text", text: "X" }]);
    expect(claudeOutput([1, 2], call)).toBe("[1,2]");
    expect(claudeOutput({ a: 1 }, call)).toBe('{"a":1}');
  });

  it("is a command's where the tool is not known", () => {
    expect(claudeOutput("X", { tool: "undefined", original: undefined })).toMatchObject({ stdout: "X", stderr: "" });
  });
});
