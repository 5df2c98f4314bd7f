import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { McpHome, program, textOf } from "./mcp-home.ts";

const KEY = "AKIAIOSFODNN7EXAMPLE";
const home = new McpHome();
const set = new URL("../../packages/hookline/rules/secrets-out.toml", import.meta.url);
beforeAll(() => home.up(readFileSync(set, "utf8")));
afterAll(() => home.close());

it("a secret that one server has shown does not reach another server of the same client", async () => {
  const server = (name: string) => home.wrapped({ name, command: [process.execPath, program("files-server"), join(home.files, name)] });
  const [files, notes] = await Promise.all([server("files"), server("notes")]);
  const write = (client: typeof files, path: string) => client.callTool({ name: "write_file", arguments: { path, text: `key: ${KEY}` } });
  expect(textOf(await write(notes, "before"))).toBe("Wrote before.");
  writeFileSync(join(home.files, "files", ".env"), `STRIPE_KEY=${KEY}`);
  expect(textOf(await files.callTool({ name: "read_file", arguments: { path: ".env" } }))).toBe(`STRIPE_KEY=${KEY}`);
  expect(textOf(await write(notes, "after"))).toContain(
    'The call would give a secret to another server. It holds a secret that a result of "files" has shown in this session.',
  );
  expect(textOf(await write(files, "back"))).toBe("Wrote back.");
});
