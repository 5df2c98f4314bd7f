import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { ClientFacts } from "../protocol/era.js";
import { type Fields, fieldsOf, type Message } from "../protocol/message.js";
import { modernQuestion, type Question, questionFault } from "./question.js";

/** So long an open call waits for a client that was asked. */
const PATIENCE_MS = 600_000;

/** Answers a question of the server: with the client's result, or with why there is none. */
type Answer = (said: { readonly result: unknown } | { readonly fault: string }) => void;

/** What a client of the modern era sends again with its answers. */
interface Called {
  readonly method: string;
  readonly params: Fields;
  readonly facts: ClientFacts;
}

/**
 * A call of a modern client at a server of the legacy era. The server asks while the call runs; the client is asked by an interim
 * answer, and sends the call again.
 */
export class Round {
  readonly id: string = randomUUID();
  readonly called: Called;
  /** Set once the call has gone to the server. */
  isSent = false;
  readonly #cut = new AbortController();
  readonly #patienceMs: number;
  readonly #end: (round: Round) => void;
  #done: Promise<Message | undefined> = Promise.resolve(undefined);
  #waiting: { readonly key: string; readonly question: Question; readonly answer: Answer }[] = [];
  readonly #asked = new Map<string, Answer>();
  #wake: () => void = () => {};
  #timer: NodeJS.Timeout | undefined;
  #next = 1;

  constructor(called: Called, options: { readonly patienceMs: number; readonly end: (round: Round) => void }) {
    this.called = called;
    this.#patienceMs = options.patienceMs;
    this.#end = options.end;
  }

  start(run: (signal: AbortSignal) => Promise<Message | undefined>): void {
    this.#done = run(this.#cut.signal).finally(() => this.#ended());
    this.#done.catch(() => {});
  }

  /** Whether the client was asked and has not answered yet. */
  get isWaiting(): boolean {
    return this.#asked.size > 0;
  }

  /** The server asks. */
  ask(question: Question, answer: Answer): void {
    this.#waiting.push({ key: `q${this.#next++}`, question, answer });
    this.#wake();
  }

  /** What the client's request is answered with: what the server asks, or the end of the call. */
  async answer(signal: AbortSignal): Promise<Message | undefined> {
    const cut = (): void => this.#cut.abort(signal.reason);
    signal.addEventListener("abort", cut, { once: true });
    try {
      for (;;) {
        if (this.#waiting.length > 0) return this.#put();
        const woken = new Promise<"woken">((resolve) => {
          this.#wake = () => resolve("woken");
        });
        const done = await Promise.race([this.#done.then((message) => ({ message })), woken]);
        if (done !== "woken") return done.message;
      }
    } finally {
      signal.removeEventListener("abort", cut);
    }
  }

  /** The client has sent the call again, with its answers. */
  resume(responses: Fields): void {
    clearTimeout(this.#timer);
    for (const [key, answer] of this.#asked)
      answer(Object.hasOwn(responses, key) ? { result: responses[key] } : { fault: "the client did not answer" });
    this.#asked.clear();
  }

  #put(): Message {
    const inputRequests = Object.fromEntries(this.#waiting.map(({ key, question }) => [key, modernQuestion(question)]));
    for (const { key, answer } of this.#waiting) this.#asked.set(key, answer);
    this.#waiting = [];
    this.#timer = setTimeout(() => this.#cut.abort(new Error("The client did not answer the server.")), this.#patienceMs).unref();
    return { jsonrpc: "2.0", result: { resultType: "input_required", inputRequests, requestState: this.id } };
  }

  #ended(): void {
    clearTimeout(this.#timer);
    for (const answer of [...this.#asked.values(), ...this.#waiting.map(({ answer }) => answer)]) answer({ fault: "the call has ended" });
    this.#asked.clear();
    this.#waiting = [];
    this.#end(this);
  }
}

/** The calls of a modern client that run. */
export class OpenRounds {
  readonly #open = new Map<string, Round>();
  readonly #patienceMs: number;

  constructor(patienceMs: number = PATIENCE_MS) {
    this.#patienceMs = patienceMs;
  }

  begin(called: Called): Round {
    const round = new Round(called, { patienceMs: this.#patienceMs, end: ({ id }) => this.#open.delete(id) });
    this.#open.set(round.id, round);
    return round;
  }

  /** The open call that the request goes on with; `undefined` if it is another call. Throws if it is not the same call. */
  find({ method, params }: Pick<Called, "method" | "params">): Round | undefined {
    const round = typeof params.requestState === "string" ? this.#open.get(params.requestState) : undefined;
    if (round === undefined) return undefined;
    const isSame = method === round.called.method && isDeepStrictEqual(named(params), named(round.called.params));
    if (!isSame) throw new Error("Hookline: this is not the call that the state belongs to.");
    return round;
  }

  /**
   * Puts a question of the server to the one call that it can be about: one that runs, not one whose client was asked and may never answer.
   * Gives what is wrong otherwise.
   */
  ask(question: Question, answer: Answer): string | undefined {
    const sent = [...this.#open.values()].filter(({ isSent }) => isSent);
    const running = sent.filter(({ isWaiting }) => !isWaiting);
    const [round, another] = running.length > 0 ? running : sent;
    if (round === undefined) return "no call runs that it could be asked with: revision 2026-07-28 asks only within a call";
    if (another !== undefined)
      return "several calls run, and nothing says which one it is about. Revision 2026-07-28 asks only within a call";
    const fault = questionFault(question, round.called.facts.capabilities);
    if (fault !== undefined) return fault;
    round.ask(question, answer);
    return undefined;
  }
}

function named({ name, uri, arguments: input }: Fields): Fields {
  return { name, uri, input: fieldsOf(input) };
}
