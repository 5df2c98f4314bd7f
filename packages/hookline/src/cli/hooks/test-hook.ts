import { existsSync, readFileSync } from "node:fs";
import { findEvent } from "@hookline/core";
import { resolveEvent, samplePayload } from "@hookline/core/internal";
import { inertJson, inertText, shellWord } from "@hookline/core/internal/text";
import { brokenEntries, type InstalledHook } from "../../extensions/installed/installed-hook.js";
import { type Asked, eventIn, sampleOf, type Trial } from "../../extensions/installed/try-handler.js";
import { trialFault, tryHook } from "../../extensions/installed/try-hook.js";
import { eventFor, payloadFor } from "../../rules/example-event.js";
import { CliError } from "../cli-error.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { cutTo } from "../format/display-width.js";
import { readPayload, text } from "../option-values.js";
import { acceptCommand, readWaiting } from "../policy/accept-shown.js";
import type { Terminal } from "../terminal.js";
import { findOnDisk, type ProjectOption, pickHook, projectOf, projectOption } from "./find-hooks.js";

const MAX_COLUMNS = 90;

interface TestHookOptions extends ProjectOption {
  readonly event?: string;
  readonly payload?: string;
  readonly json?: boolean;
}

export const command: CommandModule<TestHookOptions> = {
  define(command) {
    command
      .argument("[hook]", "its name; hookline hooks list shows them", text)
      .option("--event <name>", "an event, or a JSON file with { event, payload } (default: the hook's canary)", text)
      .option("--payload <json>", "the payload to send; @file reads a file, - reads stdin")
      .option(...projectOption)
      .option("--json", "print JSON")
      .addHelpText("after", "\nThe hook runs as it would in the hub. Exit code 3 when it denies or asks, 1 when it fails.")
      .addHelpText("after", examples("hookline hooks test push-guard", "hookline hooks test push-guard --event call.json --json"));
  },

  run: testHook,
};

async function testHook(terminal: Terminal, options: TestHookOptions, [name]: readonly string[]): Promise<number> {
  const { hooks, problems } = await findOnDisk(terminal.env, projectOf(options));
  const hook = pickHook([...hooks, ...brokenEntries(problems)], name, "test");
  const fault = trialFault(hook);
  if (fault !== undefined) throw new CliError(fault.message, { fix: fault.fix });
  const payload = options.payload === undefined ? undefined : await readPayload(options.payload, terminal, "hooks test");
  const asked = askedEvent(hook, options.event, payload);
  const report = { hook: hook.name, sent: asked.payload, ...(await tryHook(hook, asked)) };
  if (options.json === true) terminal.print(inertJson(JSON.stringify(report, undefined, 2)));
  else
    for (const [label, text] of rowsOf(report))
      terminal.print(`${terminal.paint("dim", label.padEnd(9))} ${terminal.typeable(inertText(text))}`);
  if (hook.from === "user") await sayWaiting(terminal, hook);
  return exitCodeOf(report);
}

/** A trial accepts nothing: it shows what the hook answers, and not what it does. */
async function sayWaiting(terminal: Terminal, { id, name }: InstalledHook): Promise<void> {
  const { changes } = await readWaiting(terminal);
  const waiting = changes.find((change) => change.id === `hook:${id}`);
  if (waiting !== undefined)
    terminal.say(`${inertText(`${waiting.what} ${waiting.inForce}`)} To look at it and accept it: ${acceptCommand(name)}`);
}

type Report = Trial & { readonly hook: string; readonly sent: object };

function rowsOf({
  hook,
  event,
  sent,
  verdict,
  reason,
  failure,
  ms,
  injections = [],
  reminders = [],
  payload,
  value,
  again,
  wasAsked,
  errors,
  notes = [],
}: Report): (readonly [string, string])[] {
  const rows: (readonly [string, string | undefined])[] = [
    ["event", event],
    ["sent", sentText(sent)],
    ["verdict", wasAsked ? verdict : `${verdict}: the hook was not asked, because it does not match this event`],
    [
      "try",
      wasAsked ? undefined : `hookline hooks test ${shellWord(hook)} --event file.json, with an { "event": …, "payload": … } that matches`,
    ],
    ["reason", reason],
    ["failure", failure],
    ["time", `${ms} ms`],
    ["again", again],
    ...injections.map((text) => ["inject", text] as const),
    ...reminders.map((text) => ["remind", text] as const),
    ["payload", payload === undefined ? undefined : JSON.stringify(payload)],
    ["value", value === undefined ? undefined : JSON.stringify(value)],
    ...errors.map((text) => ["error", text] as const),
    ...notes.map((text) => ["note", text] as const),
  ];
  return rows.filter((row): row is readonly [string, string] => row[1] !== undefined);
}

/** What the hook most likely checks, in one line. */
function sentText(payload: object): string {
  const { tool, prompt } = payload as { readonly tool?: { readonly name?: unknown; readonly input?: unknown }; readonly prompt?: unknown };
  const text = tool === undefined ? JSON.stringify(prompt ?? payload) : `${String(tool.name)} ${JSON.stringify(tool.input)}`;
  return cutTo(inertText(text), MAX_COLUMNS);
}

function exitCodeOf({ verdict, failure, errors }: Report): number {
  if (failure !== undefined || errors.length > 0) return EXIT.failed;
  return verdict === "deny" || verdict === "ask" ? EXIT.denied : EXIT.ok;
}

/** What `hooks test` sends: the event of `--event`, else the hook's canary, else a sample of its first event. */
function askedEvent(hook: InstalledHook, given: string | undefined, payload: object | undefined): Asked {
  const asked = given === undefined ? ownEvent(hook) : readAsked(given);
  return payload === undefined ? asked : { ...asked, payload };
}

function ownEvent({ hooks }: InstalledHook): Asked {
  const tried = hooks.find(({ canary }) => canary !== undefined);
  if (tried?.canary === undefined) return sampleOf(eventIn(hooks[0]?.event ?? "tool:before"));
  const event = eventFor([tried.event], ({ kind, outcomes }) => kind === "gate" && outcomes.includes("block")) ?? eventIn(tried.event);
  const canary = payloadFor(event, tried.canary, tried.tool);
  return { event, payload: typeof tried.canary === "string" ? { ...samplePayload(event), ...canary } : canary };
}

/** A name in any spelling, or a file that holds `{ event, payload }`. */
function readAsked(given: string): Asked {
  if (findEvent(given) !== undefined) return sampleOf(given);
  if (!existsSync(given)) {
    if (/[/\\]|\.json$/.test(given))
      throw new CliError(`There is no file "${given}".`, { exitCode: EXIT.usage, fix: { run: "hookline hooks test --help" } });
    return sampleOf(given);
  }
  try {
    const { event, payload } = JSON.parse(readFileSync(given, "utf8")) as { readonly event?: unknown; readonly payload?: unknown };
    const name = resolveEvent(String(event)).name;
    return { event: name, payload: typeof payload === "object" && payload !== null ? payload : samplePayload(name) };
  } catch (cause) {
    throw new CliError(`"${given}" does not contain an event. Write { "event": "tool:before", "payload": { … } }.`, {
      exitCode: EXIT.usage,
      cause,
    });
  }
}
