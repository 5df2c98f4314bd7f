import { HookError } from "@hookline/core/internal/machine";
import { inertJson, inertText, shellWord } from "@hookline/core/internal/text";
import { jetstream } from "@nats-io/jetstream";
import { headers, type NatsConnection } from "@nats-io/transport-node";
import type { CommandModule, FleetTools, Terminal } from "hookline/internal/fleet";
import type { Credential } from "../credentials/credential.js";
import type { AdminChoice } from "../credentials/joined.js";
import { recordAudit } from "../nats/audit.js";
import { readBucket } from "../nats/read-bucket.js";
import { buckets, subjects } from "../nats/subjects.js";
import { decodeAnswer, encodeAnswer, MAY_ANSWER, signAnswer } from "../questions/answer.js";
import { OpenQuestions, publishAnswer, readQuestions } from "../questions/open-questions.js";
import type { HostQuestion } from "../questions/question.js";
import { adminOptions, personOf, withConnection } from "./context.js";

const LIST = { fix: { run: "hookline approvals --fleet" } };
const MIN_HASH = 8;

interface JsonChoice extends AdminChoice {
  readonly json?: boolean;
}

interface AnswerChoice extends AdminChoice {
  readonly host?: string;
  readonly hash?: string;
  readonly reason?: string;
  readonly always?: boolean;
}

async function listQuestions(connection: NatsConnection): Promise<readonly HostQuestion[]> {
  const questions = new OpenQuestions();
  await readQuestions(connection, questions);
  return questions.list();
}

export function questionsCommand(tools: FleetTools): CommandModule<JsonChoice> {
  const { examples, EXIT } = tools;
  return {
    define(command) {
      adminOptions(command, tools)
        .option("--json", "print JSON")
        .addHelpText("after", examples("hookline approvals --fleet", "hookline approve 01k9 --fleet"));
    },
    async run(terminal, { json = false, ...choice }) {
      const questions = await withConnection(personOf(terminal, choice), listQuestions);
      const [first] = questions;
      if (json) terminal.print(inertJson(JSON.stringify(questions, undefined, 2)));
      else if (first === undefined) terminal.say("No call of the fleet waits for approval.");
      else {
        terminal.print(questions.map((question) => linesOf(tools, question).join("\n")).join("\n\n"));
        const id = shellWord(inertText(first.id));
        terminal.say(`\nAnswer with: hookline approve ${id} --fleet, or hookline deny ${id} --fleet --reason "…"`);
      }
      return EXIT.ok;
    },
  };
}

function linesOf({ format }: FleetTools, { host, app = "an agent", session, isCut, ...question }: HostQuestion): string[] {
  const lines = format.approvalLines({
    ...question,
    source: { app, host },
    ...(session !== undefined && { session: { id: session } }),
  });
  lines.push(`hash     ${question.hash.slice(0, 12)}`);
  return isCut === true ? [...lines, "note     the call is too large to be shown here: it can only be denied"] : lines;
}

/** Shows the question with that id and signs the answer to it. */
export function answerCommand(tools: FleetTools, verdict: "allow" | "deny"): CommandModule<AnswerChoice> {
  const { option, examples, EXIT } = tools;
  const word = verdict === "allow" ? "approve" : "deny";
  return {
    define(command) {
      adminOptions(command.argument("<id>", "the call's id, or the start of it", option.text), tools).option(
        "--reason <text>",
        "why; the agent gets this text",
        option.text,
      );
      command
        .option("--host <name>", "the host, if several have a call with this id", option.text)
        .option("--hash <start>", "the start of the call's hash, as the list shows it: answers without asking you", option.text);
      if (verdict === "allow") command.option("--always", "every host allows exactly this call from now on");
      command.addHelpText("after", examples("hookline approvals --fleet", `hookline fleet ${word} 01k9`));
    },
    async run(terminal, { reason, always = false, host, hash, ...choice }, [id = ""]) {
      const person = approverOf(terminal, choice);
      await withConnection(person, async (connection) => {
        const question = pick(await listQuestions(connection), id, host);
        for (const line of linesOf(tools, question)) terminal.say(line);
        await checkSeen(tools, terminal, question, hash);
        await answer(tools, connection, person, question, { verdict, reason, always });
      });
      terminal.print(`${inertText(id)} ${verdict === "allow" ? "approved" : "denied"}`);
      return EXIT.ok;
    },
  };
}

/** The server refuses it to others, and hosts check the role by the roster; this only says so earlier. */
function approverOf(terminal: Terminal, choice: AdminChoice): Credential {
  const person = personOf(terminal, choice);
  const { name, role = "view" } = person;
  if (MAY_ANSWER.includes(role)) return person;
  throw new HookError("HL_FLEET_CREDENTIALS", `The role of ${name} is "${role}". Only "approve" and "admin" answer calls.`, {
    fix: { run: `hookline fleet people add ${name} --role approve` },
  });
}

interface Answer {
  readonly verdict: "allow" | "deny";
  readonly reason: string | undefined;
  readonly always: boolean;
}

/** A host may have asked again, with another call under the same id, since the person has seen the list. */
async function checkSeen(
  { createPrompt }: FleetTools,
  terminal: Terminal,
  { hash }: HostQuestion,
  given: string | undefined,
): Promise<void> {
  const nothing = "Nothing was answered";
  if (given !== undefined) {
    if (given.length >= MIN_HASH && hash.startsWith(given)) return;
    throw new HookError("HL_APPROVAL_CHANGED", `${nothing}: the call's hash begins with "${hash.slice(0, 12)}".`, LIST);
  }
  if (!terminal.isInteractive || terminal.stdin.isTTY !== true)
    throw new HookError("HL_BAD_REQUEST", `${nothing}: there is no terminal to ask you.`, {
      fix: `Add --hash ${hash.slice(0, 12)} if this is the call that you mean.`,
    });
  const prompt = createPrompt(terminal.stdin, process.stderr);
  try {
    if (!/^y(es)?$/i.test(((await prompt.ask("Sign this answer? [y/N] ")) ?? "").trim()))
      throw new HookError("HL_CANCELLED", `${nothing}.`);
  } finally {
    prompt.close();
  }
}

async function answer(
  tools: FleetTools,
  connection: NatsConnection,
  person: Credential,
  question: HostQuestion,
  { verdict, reason, always }: Answer,
) {
  const { fleet, name, signingKey } = person;
  if (signingKey === undefined) throw new HookError("HL_FLEET_CREDENTIALS", "The credential of this user has no signing key.");
  if (question.isCut === true && verdict === "allow")
    throw new HookError("HL_BAD_REQUEST", "This call is too large to be shown here. It can only be denied, or approved on its host.");
  if (always && question.call === undefined)
    throw new HookError("HL_BAD_REQUEST", `"${question.event}" is not a tool call, and cannot be allowed for good.`, {
      fix: "Answer without --always.",
    });
  // The host chose the hash. It must be that of what the person sees, and of nothing else.
  if (always && tools.callHash(question) !== question.call)
    throw new HookError(
      "HL_BAD_REQUEST",
      "This call cannot be allowed for good: what is shown of it is not all of it, such as a hidden secret.",
      {
        fix: "Answer without --always.",
      },
    );
  const { host, id, hash, shown, expiresAt, call } = question;
  const statement = {
    format: 1,
    fleet,
    host,
    question: id,
    hash,
    shown,
    verdict,
    by: name,
    until: expiresAt,
    ...(reason !== undefined && { reason }),
    ...(always && call !== undefined && { always: call }),
  } as const;
  const signed = signAnswer(statement, signingKey);
  await publishAnswer(connection, question, signed);
  const stream = jetstream(connection);
  if (statement.always !== undefined) await stream.publish(subjects.key(buckets.always, statement.always), encodeAnswer(signed));
  const details = { host, hash, ...(reason !== undefined && { reason }), ...(statement.always !== undefined && { always: call }) };
  await recordAudit(connection, person, { action: verdict === "allow" ? "call-allowed" : "call-denied", subject: id, details });
}

function pick(questions: readonly HostQuestion[], id: string, host: string | undefined): HostQuestion {
  const found = questions.filter((question) => question.id.startsWith(id) && (host === undefined || question.host === host));
  const exact = found.filter((question) => question.id === id);
  const [first, second] = exact.length > 0 ? exact : found;
  if (first === undefined) throw new HookError("HL_APPROVAL_GONE", `No waiting call of the fleet has the id "${id}".`, LIST);
  if (second === undefined) return first;
  if (exact.length > 0)
    throw new HookError("HL_BAD_REQUEST", `Several hosts have a call with the id "${id}".`, { fix: `Add --host ${first.host}.` });
  throw new HookError("HL_BAD_REQUEST", `"${id}" is the start of several ids. Give more of it.`, LIST);
}

export function alwaysListCommand(tools: FleetTools): CommandModule<JsonChoice> {
  const { examples, EXIT, format } = tools;
  return {
    define(command) {
      adminOptions(command, tools).option("--json", "print JSON").addHelpText("after", examples("hookline fleet always"));
    },
    async run(terminal, { json = false, ...choice }) {
      const bucket = await withConnection(personOf(terminal, choice), (connection) => readBucket(connection, buckets.always));
      const rows = [...bucket].map(([call, data]) => ({ call, ...statementIn(data) }));
      if (json) terminal.print(inertJson(JSON.stringify(rows, undefined, 2)));
      else if (rows.length === 0) terminal.say("No call is always allowed.");
      else
        for (const line of format.tableLines(
          ["CALL", "ALLOWED BY", "FIRST ASKED ON"],
          rows.map(({ call, by, host }) => [call.slice(0, 16), by, host]),
          terminal.columns,
        ))
          terminal.print(line);
      return EXIT.ok;
    },
  };
}

function statementIn(data: Uint8Array): { readonly by: string; readonly host: string } {
  const { by, host } = Object(JSON.parse(decodeAnswer(data)?.statement ?? "{}")) as { readonly by?: unknown; readonly host?: unknown };
  return { by: inertText(String(by ?? "unknown")), host: inertText(String(host ?? "unknown")) };
}

export function alwaysForgetCommand(tools: FleetTools): CommandModule<AdminChoice> {
  const { option, examples, EXIT } = tools;
  return {
    define(command) {
      adminOptions(command.argument("<call>", "the call, or the start of it", option.text), tools).addHelpText(
        "after",
        examples("hookline fleet always", "hookline fleet always forget 3f9a"),
      );
    },
    async run(terminal, choice, [start = ""]) {
      const person = approverOf(terminal, choice);
      await withConnection(person, async (connection) => {
        const calls = [...(await readBucket(connection, buckets.always)).keys()].filter((call) => call.startsWith(start));
        const [call, second] = calls;
        const always = { fix: { run: "hookline fleet always" } };
        if (call === undefined)
          throw new HookError("HL_BAD_REQUEST", `No call that the fleet always allows begins with "${inertText(start)}".`, always);
        if (second !== undefined)
          throw new HookError("HL_BAD_REQUEST", `"${start}" is the start of ${calls.length} calls. Give more of it.`, always);
        const removal = headers();
        removal.set("KV-Operation", "DEL");
        await jetstream(connection).publish(subjects.key(buckets.always, call), new Uint8Array(), { headers: removal });
        await recordAudit(connection, person, { action: "always-withdrawn", subject: call });
      });
      terminal.say("Forgotten. The next such call waits for a person again.");
      return EXIT.ok;
    },
  };
}
