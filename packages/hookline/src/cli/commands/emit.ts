import { hostname } from "node:os";
import type { HookError, ReminderSpec } from "@hookline/core";
import { createEnvelope, createIdSource, resolveEvent, sessionIn } from "@hookline/core/internal";
import { createEnvelopePreparer } from "@hookline/core/internal/sinks";
import { inertJson, inertText } from "@hookline/core/internal/text";
import type { Envelope } from "@hookline/core/sinks";
import type { DecideAnswer, IngestAnswer } from "../../hub/protocol.js";
import { CliError } from "../cli-error.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { countText } from "../format/amounts.js";
import { pausedIn } from "../format/pause-text.js";
import { connectHub, type HubClient } from "../hub-client.js";
import { readPayload, text } from "../option-values.js";
import type { Terminal } from "../terminal.js";

interface EmitOptions {
  readonly payload?: string;
  readonly session?: string;
  readonly source?: string;
  readonly decide?: boolean;
  readonly json?: boolean;
}

export const command: CommandModule<EmitOptions> = {
  define(command) {
    command
      .argument("<event>", "an event's name in any spelling, or one of your own such as myapp:deployed", text)
      .option("--payload <json>", "a JSON object; @file reads a file, - reads stdin (default: {})")
      .option("-s, --session <id>", "the session it belongs to", text)
      .option("--source <app>", "the app that sends it (default: hookline-cli)", text)
      .option("--decide", "ask the hub's guards; exit code 3 when they deny or ask")
      .option("--json", "with --decide: print the whole decision")
      .addHelpText(
        "after",
        examples(
          'hookline emit myapp:deployed --payload \'{"version":"1.2.3"}\'',
          'hookline emit tool:before --decide --payload \'{"tool":{"name":"bash","input":{"command":"ls"}}}\'',
        ),
      );
  },

  async run(terminal, options, [event = ""]) {
    const payload = await readPayload(options.payload ?? "{}", terminal, "emit");
    const envelope = makeEnvelope({ event, payload, session: options.session, source: options.source ?? "hookline-cli" });
    const hub = await connectHub(terminal.env);
    if (options.decide === true)
      return decide(
        hub,
        { event, payload: { cwd: process.cwd(), ...payload }, session: options.session },
        { terminal, isJson: options.json === true },
      );
    await hub.post<IngestAnswer>("/api/hooks/ingest", `${JSON.stringify(envelope)}\n`, "application/x-ndjson");
    terminal.print(envelope.id);
    return EXIT.ok;
  },
};

interface Question {
  readonly event: string;
  readonly payload: unknown;
  readonly session: string | undefined;
}

async function decide(
  hub: HubClient,
  { event, payload, session }: Question,
  { terminal, isJson }: { terminal: Terminal; isJson: boolean },
) {
  const body = JSON.stringify({ event, payload, ...(session !== undefined && { session: { id: session } }) });
  const answer = await hub.post<DecideAnswer>("/api/decide", body);
  if (isJson) terminal.print(inertJson(JSON.stringify(answer, undefined, 2)));
  else for (const line of decisionLines(answer)) terminal.print(line);
  return answer.allowed ? EXIT.ok : EXIT.denied;
}

/** The verdict, followed by everything else that the agent would act on. */
function decisionLines({
  verdict,
  by,
  reason,
  modified,
  payload,
  injections,
  reminders,
  handled,
  again,
  endLoop,
  trail,
}: DecideAnswer): string[] {
  const paused = pausedIn({ trail });
  return [
    line(verdict, by, reason ?? paused),
    ...(modified ? [inertJson(JSON.stringify(payload))] : []),
    ...injections.map((text) => line("inject", text)),
    ...reminders.map(({ spec, by }) => line("remind", by, (spec as ReminderSpec).body, livesText(spec as ReminderSpec))),
    ...(handled === undefined ? [] : [line("handled", handled.by, JSON.stringify(handled.output))]),
    ...(again === undefined ? [] : [line("again", again.by, again.reason)]),
    ...(endLoop ? ["end the loop"] : []),
  ];
}

function livesText({ ttlTurns }: ReminderSpec): string | undefined {
  return ttlTurns === undefined ? undefined : `for ${countText(ttlTurns, "turn")}`;
}

function line(...parts: readonly (string | undefined)[]): string {
  return parts.flatMap((part) => (part === undefined ? [] : [inertText(part)])).join("  ");
}

interface EnvelopeParts {
  readonly event: string;
  readonly payload: object;
  readonly session: string | undefined;
  readonly source: string;
}

/** An event as an agent's bus would send it: with secrets hidden and long values cut. */
function makeEnvelope({ event, payload: given, session, source: app }: EnvelopeParts): Envelope {
  const payload = session === undefined ? given : { ...given, session: { id: session } };
  const { instance, next } = createIdSource();
  const prepare = createEnvelopePreparer({
    onError: (error) => {
      throw new CliError(error.message, { cause: error });
    },
  });
  const made = createEnvelope({
    id: next(),
    at: new Date().toISOString(),
    event: canonicalName(event),
    source: { app, host: hostname(), pid: process.pid, instance },
    session: sessionIn(payload),
    payload,
    hops: [instance],
  });
  return prepare(made).envelope;
}

function canonicalName(event: string): string {
  try {
    return resolveEvent(event).name;
  } catch (error) {
    throw new CliError((error as HookError).message, { exitCode: EXIT.usage, fix: { run: "hookline emit --help" }, cause: error });
  }
}
