import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RemoteGate } from "@hookline/core/internal/wire";
import type { Envelope } from "@hookline/core/sinks";
import { expect } from "vitest";
import { removeFolder } from "../support/remove-folder.ts";
import { TestHub } from "../support/test-hub.ts";
import { type Answer, ClientProcess } from "./client-process.ts";
import { type HubProcess, until } from "./hub-process.ts";

export interface Case {
  readonly name: string;
  /** Not part of `npm test`. */
  readonly thorough?: boolean;
  readonly steps: readonly Step[];
}

/** One key says what to do; README.md lists them. */
interface Step {
  readonly [verb: string]: unknown;
}

type Fields = { readonly [key: string]: unknown };

interface Counters {
  readonly accepted: number;
  readonly acked: number;
  readonly pending: number;
  readonly spooled: number;
  readonly seq: number;
  readonly dropped: { readonly [reason: string]: number };
}

/** Plays one case with the client of one language, and ends the client whatever comes of it. */
export async function playCase(hub: HubProcess, language: string, { steps }: Case): Promise<void> {
  const player = new Player(hub, language);
  try {
    for (const [index, step] of steps.entries()) await player.play(step, index);
  } finally {
    await player.close();
  }
}

/** A loaded machine is slow, and no case depends on speed. */
const PATIENT = { gateTimeoutMs: 20_000 };

class Player {
  readonly #hub: HubProcess;
  readonly #language: string;
  readonly #later = new Map<string, Promise<Answer>>();
  #client: ClientProcess | undefined;
  #instance = "";
  #fake: TestHub | undefined;
  #folder: string | undefined;

  constructor(hub: HubProcess, language: string) {
    this.#hub = hub;
    this.#language = language;
  }

  async play(step: Step, index: number): Promise<void> {
    const verb = Object.keys(step).find((key) => key in this.#verbs);
    if (verb === undefined) throw new Error(`Step ${index} has no verb: ${JSON.stringify(step)}`);
    try {
      await this.#verbs[verb]?.(step[verb], step);
    } catch (error) {
      if (error instanceof Error) error.message = `Step ${index}, ${JSON.stringify(step).slice(0, 300)}: ${error.message}`;
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#hub.thaw();
    await this.#client?.kill();
    await this.#fake?.stop();
    if (this.#folder !== undefined) removeFolder(this.#folder);
    await this.#hub.start();
  }

  readonly #verbs: { readonly [verb: string]: (given: unknown, step: Step) => unknown } = {
    start: async (options, { env = {} }) => {
      this.#client = new ClientProcess(this.#language, { ...this.#hub.home.env, ...(env as NodeJS.ProcessEnv) });
      const folder = this.#folder === undefined ? {} : { folder: join(this.#folder, "state") };
      const answer = await this.#ask("start", {
        source: `conformance-${this.#language}`,
        options: { ...PATIENT, ...(options as object), ...folder },
      });
      this.#instance = String(answer.result?.instance);
    },
    hub: (what) => (this.#hub as unknown as { readonly [what: string]: () => unknown })[String(what)]?.(),
    until: (state) => until(`the client is ${state}`, async () => (await this.#look()).state === state),
    state: async (state) => expect((await this.#look()).state).toBe(state),
    emit: (event, { payload, session, times }) => this.#ask("emit", { event, payload, session, times }),
    decide: (event, step) => this.#question("decide", { event, payload: step.payload, session: step.session }, step),
    transform: (event, step) =>
      this.#question("transform", { event, value: step.value, context: step.context, session: step.session }, step),
    answer: async (name, { expect: wanted }) => check(await (this.#later.get(String(name)) as Promise<Answer>), wanted as Fields),
    person: (verdict, { reason, payload }) => this.#hub.answer({ verdict: String(verdict), reason, payload }),
    operator: (text, { session, interrupt = false }) =>
      this.#hub.inject(String(session), { text: String(text), interrupt: interrupt === true }),
    flush: async () => expect((await this.#ask("flush", {})).result).toEqual({ isSettled: true }),
    counters: async (wanted) => expect((await this.#look()).counters).toMatchObject(wanted as object),
    balanced: async () => expectBalanced((await this.#look()).counters as unknown as Counters),
    dropped: async (reason) =>
      expect(((await this.#look()).counters as unknown as Counters).dropped[String(reason)] ?? 0).toBeGreaterThan(0),
    errors: async (codes) => until(`the errors ${codes}`, () => this.#hasErrors(codes as string[])),
    end: (how) => this.#client?.end(String(how)),
    stored: (wanted) => this.#expectStored(wanted as Wanted),
    fake: async (options) => {
      this.#folder = mkdtempSync(join(tmpdir(), "hl-fake-"));
      mkdirSync(join(this.#folder, "state"), { mode: 0o700 });
      this.#fake = await startFake(join(this.#folder, "state"), options as FakeOptions);
    },
    faked: (wanted) => {
      const { only, received } = wanted as { readonly only: readonly string[]; readonly received: number };
      expect([...new Set(this.#fake?.frames.map(({ type }) => type))]).toEqual(only);
      expect(this.#fake?.received).toHaveLength(received);
    },
  };

  async #question(command: string, fields: object, { later, expect: wanted, error }: Step): Promise<void> {
    const asked = this.#ask(command, fields);
    if (later !== undefined) return void this.#later.set(String(later), asked);
    const answer = await asked;
    if (error !== undefined) return expect(answer).toEqual({ error });
    check(answer, wanted as Fields);
  }

  async #ask(command: string, fields: object): Promise<Answer> {
    if (this.#client === undefined) throw new Error("no client was started");
    return this.#client.ask(command, fields);
  }

  async #look(): Promise<Fields> {
    const { result, error } = await this.#ask("look", {});
    if (result === undefined) throw new Error(error);
    this.#errors = result.errors as readonly string[];
    return result;
  }

  #errors: readonly string[] = [];

  async #hasErrors(codes: readonly string[]): Promise<boolean> {
    await this.#look();
    return codes.every((code) => this.#errors.includes(code));
  }

  async #expectStored(wanted: Wanted): Promise<void> {
    const { count, event } = wanted;
    let found: readonly Envelope[] = [];
    if (count !== undefined)
      await until(`${count} events are stored`, async () => {
        found = await this.#hub.stored(this.#instance, event);
        return found.length >= count;
      });
    found = await this.#hub.stored(this.#instance, event);
    if (count !== undefined) expect(found).toHaveLength(count);
    expect(new Set(found.map(({ id }) => id)).size).toBe(found.length);
    if (wanted.seqs === "contiguous") expect(found.map(({ seq }) => seq)).toEqual(found.map((_, index) => index + 1));
    if (wanted.events !== undefined) expect(found.map((envelope) => envelope.event)).toEqual(wanted.events);
    for (const [index, payload] of (wanted.payloads ?? []).entries()) expect(found[index]?.payload).toMatchObject(payload);
    if (wanted.first !== undefined) expect(found[0]).toMatchObject(matchers(wanted.first) as object);
    if (wanted.last !== undefined) expect(found.at(-1)).toMatchObject(wanted.last);
    if (wanted.counted !== undefined) expectCounted(found.filter((envelope) => envelope.event === wanted.counted));
    for (const [name, number] of Object.entries(wanted.where ?? {}))
      expect(found.filter((envelope) => envelope.event === name)).toHaveLength(number);
    if (wanted.gaps === "dropped") await this.#expectGaps(found);
  }

  /** Every number that is missing is a drop that the client counted. */
  async #expectGaps(found: readonly Envelope[]): Promise<void> {
    const { seq, dropped } = (await this.#look()).counters as unknown as Counters;
    const missing = seq - found.length;
    expect(missing).toBeGreaterThan(0);
    expect(missing).toBe(sum(dropped));
  }
}

interface Wanted {
  readonly count?: number;
  readonly event?: string;
  readonly events?: readonly string[];
  readonly seqs?: string;
  readonly gaps?: string;
  readonly counted?: string;
  readonly first?: object;
  readonly last?: object;
  readonly payloads?: readonly object[];
  readonly where?: { readonly [event: string]: number };
}

/** Their payloads count from 0. */
function expectCounted(found: readonly Envelope[]): void {
  expect(found.map(({ payload }) => (payload as { readonly i: number }).i)).toEqual(found.map((_, index) => index));
}

function check({ result, error }: Answer, wanted: Fields): void {
  if (result === undefined) throw new Error(`The client failed: ${error}`);
  for (const [key, value] of Object.entries(wanted)) {
    if (typeof value === "string" && value.startsWith("~")) expect(result[key]).toMatch(new RegExp(value.slice(1)));
    else if (key === "reminders") expect(result[key]).toMatchObject(value as object);
    else expect({ [key]: result[key] }, JSON.stringify(result)).toEqual({ [key]: value });
  }
}

/** A trail may have more steps than those that are named. */
function matchers(wanted: unknown): unknown {
  if (Array.isArray(wanted)) return expect.arrayContaining(wanted.map((item) => expect.objectContaining(item as object)));
  if (typeof wanted !== "object" || wanted === null) return wanted;
  return Object.fromEntries(Object.entries(wanted).map(([key, value]) => [key, key === "trail" ? matchers(value) : matchersIn(value)]));
}

function matchersIn(value: unknown): unknown {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? matchers(value) : value;
}

function expectBalanced({ accepted, acked, pending, spooled, dropped }: Counters): void {
  expect(acked + pending + spooled + sum(dropped)).toBe(accepted);
}

function sum(dropped: { readonly [reason: string]: number }): number {
  return Object.values(dropped).reduce((total, count) => total + count, 0);
}

interface FakeOptions {
  readonly isSquatter?: boolean;
  readonly gates?: readonly RemoteGate[];
  readonly refuses?: string;
  /** By the tool's name: the frames it is answered with. */
  readonly answers?: { readonly [tool: string]: readonly Fields[] };
}

/** A hub that misbehaves as the case says. */
function startFake(folder: string, { isSquatter = false, gates = [], refuses, answers = {} }: FakeOptions): Promise<TestHub> {
  return TestHub.start(folder, {
    isSquatter,
    gates: isSquatter ? [{ event: "tool:before", timeoutMs: 300, onFailure: "closed" }] : gates,
    refuses: ({ event }) => event === refuses,
    onGate: ({ payload }, answer) => {
      const { tool } = payload as { readonly tool: { readonly name: string } };
      for (const frame of answers[tool.name] ?? []) answer(frame);
    },
  });
}
