import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { Command, CommanderError } from "commander";
import { afterAll, describe, expect, it } from "vitest";
import { commandList } from "./command-list.js";
import { run } from "./run.js";
import { createTerminal } from "./terminal.js";

const home = mkdtempSync(join(tmpdir(), "hookline-run-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const bin = fileURLToPath(new URL("../../../../node_modules/.bin", import.meta.url));
const env = { HOME: home, PATH: bin, XDG_STATE_HOME: join(home, "state"), XDG_RUNTIME_DIR: "", XDG_CONFIG_HOME: join(home, "config") };

/** Runs a command line in this process, where no hub is. */
async function type(...argv: readonly string[]) {
  const said = { out: "", err: "" };
  const terminal = createTerminal({
    env,
    stdin: Readable.from([]) as NodeJS.ReadStream,
    stdout: { write: (text) => (said.out += text) },
    stderr: { write: (text) => (said.err += text) },
  });
  return { code: await run(argv, terminal), ...said };
}

const odd: readonly (readonly [string, string])[] = [
  ["empty", ""],
  ["blank", "  "],
  ["a dash", "-"],
  ["two dashes", "--"],
  ["a newline", "a\nb"],
  ["NUL", "a\0b"],
  ["an escape", "\u001b[31m"],
  ["1 MB", "x".repeat(1_000_000)],
  ["a negative number", "-1"],
  ["a huge number", "9".repeat(400)],
];

describe("every option of every command", async () => {
  for (const { name, load } of commandList) {
    const { command: module } = await load();
    const define = () => {
      const command = new Command(name).exitOverride().configureOutput({ writeErr: () => {}, outputError: () => {} });
      module.define(command);
      return command;
    };
    const { options, registeredArguments } = define();
    const needed = registeredArguments.map(() => "rotate");
    for (const { long, required } of options.filter(({ required: takesValue }) => takesValue)) {
      it.each([...odd, ["missing", undefined] as const])(`${name} ${long} with %s is taken or refused`, async (_, value) => {
        const argv = [...needed, ...(value === undefined ? [`${long}`] : [`${long}`, value])];
        try {
          await define()
            .action(() => {})
            .parseAsync(argv, { from: "user" });
          expect(value).toBeDefined();
        } catch (error) {
          expect(error).toBeInstanceOf(CommanderError);
          expect(required).toBe(true);
        }
      });
    }
  }
});

describe("a mistaken command line", () => {
  const harmless = commandList.map(({ name }) => name).filter((name) => name !== "up" && name !== "demo");

  it.each(harmless)("%s answers odd arguments with a sentence, and quickly", async (name) => {
    for (const [, value] of odd)
      for (const argv of [
        [name, value],
        [name, value, value],
        [name, `--${value}`],
        [name, "--json", value],
      ]) {
        const { code, err } = await type(...argv);
        // What `run` cannot start, it says as a shell does.
        expect(name === "run" ? [0, 1, 2, 4, 126, 127] : [0, 1, 2, 4]).toContain(code);
        expect(err).not.toMatch(/^ {4}at /m);
        expect(err.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
        expect(err.length).toBeLessThan(4_000);
      }
  });

  it.each(odd)("an odd command: %s", async (_, value) => {
    const { code, err } = await type(value);
    expect(code).toBe(2);
    expect(err.length).toBeLessThan(2_500);
  });
});

describe("help", () => {
  it("lists every command on stdout, also when nothing was asked for", async () => {
    for (const argv of [[], ["--help"], ["-h"], ["help"]]) {
      const { code, out, err } = await type(...argv);
      expect([code, err]).toEqual([0, ""]);
      for (const { name } of commandList) expect(out).toMatch(new RegExp(`^  ${name} `, "m"));
    }
  });

  it.each(commandList.map(({ name }) => name))("%s has an example, both ways to ask", async (name) => {
    const { code, out } = await type(name, "--help");
    expect([code, out]).toEqual([0, expect.stringContaining(`  $ `)]);
    expect(out).toMatch(/^Examples?:$/m);
    expect((await type("help", name)).out).toBe(out);
  });

  it.each(["hooks", "rules", "config", "token"])("%s lists its subcommands, each with its options and an example", async (name) => {
    const groups = await Promise.all(commandList.filter((listed) => listed.name === name).map(({ load }) => load()));
    const subcommands = groups.flatMap(({ command }) => ("subcommands" in command ? command.subcommands : []));
    expect(subcommands).not.toEqual([]);
    const { out } = await type(name, "--help");
    for (const subcommand of subcommands) {
      expect(out).toMatch(new RegExp(`^  ${subcommand.name} +${subcommand.summary.slice(0, 10)}`, "m"));
      const shown = await type(name, subcommand.name, "--help");
      expect([shown.code, shown.err]).toEqual([0, ""]);
      expect(shown.out).toMatch(new RegExp(`^Usage: hookline ${name} ${subcommand.name} [\\s\\S]*^Examples?:$`, "m"));
    }
  });

  it("meets a typing error", async () => {
    expect(await type("tial")).toMatchObject({
      code: 2,
      out: "",
      err: 'hookline: There is no command "tial". Did you mean "tail"?\nRun: hookline --help\n',
    });
    expect(await type("tail", "--lins", "3")).toMatchObject({
      code: 2,
      err: expect.stringMatching(/--lines\?\)\nRun: hookline tail --help/),
    });
    expect(await type("emit", "tool:befor")).toMatchObject({ code: 2, err: expect.stringContaining('"tool:before"') });
  });

  const unknown = 'There is no command "tial". Did you mean "tail"?';
  const lst = 'There is no command "rules lst". Did you mean "list"?';
  it.each([
    [["tial", "--help"], unknown, "hookline --help"],
    [["--help", "tial"], unknown, "hookline --help"],
    [["-h", "tial"], unknown, "hookline --help"],
    [["help", "tial"], unknown, "hookline --help"],
    [["help", "help", "tial"], unknown, "hookline --help"],
    [["tial", "--json", "-h"], unknown, "hookline --help"],
    [["rules", "lst", "--help"], lst, "hookline rules --help"],
    [["rules", "--help", "lst"], lst, "hookline rules --help"],
    [["help", "rules", "lst"], lst, "hookline rules --help"],
    [["rules", "--config", "x.toml", "lst", "-h"], lst, "hookline rules --help"],
    [["rules", "list", "--confg", "x.toml", "-h"], "Did you mean --config?", "hookline rules list --help"],
    [["token"], "hookline token needs a subcommand: rotate, metrics.", "hookline token --help"],
    [["hooks", "tset", "--help"], 'Did you mean "test"?', "hookline hooks --help"],
    [["token", "rotat", "--help"], 'Did you mean "rotate"?', "hookline token --help"],
    [["config", "shwo", "--help"], 'Did you mean "show"?', "hookline config --help"],
    [["tail", "--lins", "--help"], "Did you mean --lines?", "hookline tail --help"],
    [["--hepl"], "Did you mean --help?", "hookline --help"],
    [["--help", "--bogus"], "unknown option '--bogus'", "hookline --help"],
    [["status", "x", "--help"], "too many arguments", "hookline status --help"],
    [["--"], 'There is no command "--".\n', "hookline --help"],
  ])("%j is a mistake, also where help is asked for", async (argv, message, next) => {
    const { code, out, err } = await type(...argv);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(message);
    expect(err).toMatch(new RegExp(`\nRun: ${next}\n$`));
  });

  it("is shown for what is there, wherever it is asked for", async () => {
    const { out } = await type("emit", "--help");
    expect(out).toContain("Usage: hookline emit [options] <event>");
    for (const argv of [
      ["--help", "emit"],
      ["-h", "emit"],
      ["help", "emit"],
      ["emit", "tool:before", "-h"],
    ])
      expect(await type(...argv)).toEqual({ code: 0, out, err: "" });
    expect(await type("rules", "test", "my.toml", "--help")).toMatchObject({
      code: 0,
      out: expect.stringContaining("Usage: hookline rules test [options]"),
    });
    const { out: help } = await type("hooks", "test", "--help");
    expect(help).toContain("Usage: hookline hooks test [options] [hook]");
    for (const argv of [
      ["hooks", "--help", "test"],
      ["help", "hooks", "test"],
      ["hooks", "help", "test"],
      ["--help", "hooks", "--project", "x", "test"],
    ])
      expect(await type(...argv)).toEqual({ code: 0, out: help, err: "" });
    expect(await type("hooks", "--project", "test", "list", "--help")).toEqual(await type("hooks", "list", "--help"));
    // What belongs to an option, or to the command that is run, is not a wish for help.
    expect(await type("emit", "my:event", "--payload", "--help")).toMatchObject({ code: 2, err: expect.stringContaining("is not JSON") });
  });

  it("has a version", async () => {
    expect(await type("--version")).toEqual({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\S*\n$/), err: "" });
  });
});

describe("without a hub", () => {
  it.each([["status"], ["tail"], ["sessions"], ["show", "x"], ["emit", "my:event"]])(
    "%s says how to start one, exit code 4",
    async (...argv) => {
      const { code, out, err } = await type(...argv);
      expect([code, out]).toEqual([4, ""]);
      expect(err).toBe("hookline: The hub is not running.\nRun: hookline up --detach\n");
    },
  );

  it("down has nothing to do, and advises nothing", async () => {
    expect(await type("down")).toEqual({ code: 0, out: "", err: "No hub is running.\n" });
    expect(await type("down", "--force")).toEqual({ code: 0, out: "", err: "No hub is running.\n" });
  });

  it("status says so as JSON, too", async () => {
    const { code, out } = await type("status", "--json");
    expect([code, JSON.parse(out)]).toEqual([4, { running: false, reason: "The hub is not running." }]);
  });
});
