import { resolve } from "node:path";
import type { Bus } from "../bus/bus.js";
import type { HandlerInfo, HookEvent, Source, Tap, TapCall, TapDispatch } from "../bus/types.js";
import { quietly } from "../catalog/errors.js";
import { unseen } from "../redact/markers.js";
import { createRedactor, type Redactor } from "../redact/redact.js";
import { copyJsonSafe } from "../text/json-safe.js";
import { describeAnswer, describeCall, describeDecision, describeInput, describeResult, placeOf } from "./_record/describe.js";
import { HEAD_EVENT, HeadReporter } from "./_record/head-reporter.js";
import { openStore, type Store } from "./_record/store.js";
import { Writer } from "./_record/writer.js";
import type { Input } from "./_tape/tape.js";
import type { EntryBody, TranscriptEntry, TranscriptHead } from "./entries.js";
import { readTranscriptOptions, type TranscriptOptions, type TranscriptSettings } from "./options.js";

type Recordable = Pick<Bus, "tap" | "source" | "emitSync">;

/** Records what a bus does. It is a tap: `bus.tap(transcript)` and `transcript.attach(bus)` do the same. */
export interface Transcript extends Required<Tap> {
  /** What was recorded, when it is kept in memory. */
  readonly entries: readonly TranscriptEntry[];
  readonly head: TranscriptHead;
  /** Entries that could not be recorded. */
  readonly lost: number;
  readonly isClosed: boolean;
  /** Begins to record a bus, and emits the head on it from time to time as `transcript:head`. Returns a function that stops it. */
  attach(bus: Recordable): () => void;
  /** Ends the chain with a closing entry and gives its head. Nothing is recorded afterwards. */
  close(): TranscriptHead;
  [Symbol.dispose](): void;
}

/** Records to a file, to a function or in memory. A file that was closed continues in a new segment. Throws if the file cannot be opened or is not a transcript. */
export function createTranscript(options: TranscriptOptions = {}): Transcript {
  const settings = readTranscriptOptions(options);
  const onError: TranscriptSettings["onError"] = (error) => quietly(() => settings.onError(error));
  // Before the file is opened, because an invalid path to redact must not leave an open file behind.
  const redactor = createRedactor(settings, onError);
  return new Recorder(openStore(settings), { ...settings, onError }, redactor);
}

class Recorder implements Transcript {
  readonly #store: Store;
  readonly #writer: Writer;
  readonly #redactor: Redactor;
  readonly #inputs = new Inputs();
  readonly #attached = new Map<Recordable, () => void>();
  readonly #introduced = new Set<string>();
  readonly #reporter: HeadReporter;

  constructor(store: Store, settings: TranscriptSettings, redactor: Redactor) {
    this.#reporter = new HeadReporter(() => this.#reportedHead(settings));
    this.#store = store;
    this.#writer = new Writer(store, settings);
    this.#redactor = redactor;
  }

  get entries(): readonly TranscriptEntry[] {
    return this.#store.entries;
  }

  get head(): TranscriptHead {
    return this.#writer.head;
  }

  get lost(): number {
    return this.#writer.lost;
  }

  get isClosed(): boolean {
    return this.#writer.isClosed;
  }

  attach(bus: Recordable): () => void {
    const known = this.#attached.get(bus);
    if (known !== undefined) return known;
    const untap = bus.tap(this);
    const detach = (): void => {
      this.#attached.delete(bus);
      this.#reporter.remove(bus);
      untap();
    };
    this.#attached.set(bus, detach);
    this.#writer.record(() => this.#introduce(bus.source));
    this.#reporter.add(bus);
    return detach;
  }

  called(event: HookEvent, handler: HandlerInfo): void {
    this.#record(event, () => {
      const input = describeInput(event, this.#redactor);
      this.#inputs.begin(event.id, input);
      return describeCall(event, handler, input);
    });
  }

  returned(event: HookEvent, handler: HandlerInfo, call: TapCall): void {
    this.#record(event, () => {
      const answer = describeAnswer(event, handler, call, this.#redactor);
      if (call.failure === undefined || handler.onFailure !== "abort") return answer;
      // Such a gate ends here, without a decision.
      const { payload } = this.#inputs.end(event.id) ?? describeInput(event, this.#redactor);
      return { ...answer, payload };
    });
  }

  dispatched(event: HookEvent, dispatch: TapDispatch): void {
    // The failure that aborted a gate has ended its record already.
    if (dispatch.error !== undefined) return;
    this.#record(event, () => this.#describeEnd(event, dispatch));
  }

  close(): TranscriptHead {
    if (this.isClosed) return this.head;
    const buses = [...this.#attached.keys()];
    for (const detach of [...this.#attached.values()]) detach();
    this.#writer.record(() => {
      if (this.#introduced.size === 0) this.#introduce({ app: "" });
      const { n, hash } = this.head;
      this.#writer.append({ type: "close", count: n, head: hash, lost: this.lost, unfinished: this.#inputs.size });
    });
    this.#writer.close();
    this.#reporter.last(buses);
    return this.head;
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #record(event: HookEvent, describe: () => EntryBody): void {
    if (event.name === HEAD_EVENT) return;
    this.#writer.record(() => {
      this.#introduce(event.bus.source);
      this.#writer.append(describe());
    });
    this.#reporter.changed();
  }

  /** Entries in memory are not a file to verify later. */
  #reportedHead({ path, write }: TranscriptSettings) {
    const { id } = this.#writer;
    if (id === undefined || (path === undefined && write === undefined)) return undefined;
    return { id, ...this.head, closed: this.isClosed, ...(path !== undefined && { path: resolve(path) }) };
  }

  #introduce(source: Source): void {
    const { instance = "" } = source;
    if (this.#introduced.has(instance)) return;
    const { recovered, continues } = this.#introduced.size > 0 ? ALREADY : this.#store.resumed;
    const whose = copyJsonSafe({ pid: process.pid, ...source }) as Source;
    this.#writer.append({ type: "open", source: whose, instance, recovered: recovered === 0 ? undefined : recovered, continues });
    this.#introduced.add(instance);
  }

  #describeEnd(event: HookEvent, dispatch: TapDispatch): EntryBody {
    const { kind, decision, result } = dispatch;
    const { payload, value = null } = this.#inputs.end(event.id) ?? inputOf(event, dispatch, this.#redactor);
    const place = placeOf(event);
    if (decision !== undefined)
      return { type: "decision", ...place, payload, ...describeDecision(decision, payload, this.#redactor), actor: decision.actor };
    if (result === undefined) return { type: "emitted", ...place, kind, payload };
    return { type: "transformed", ...place, payload, value, ...describeResult(event, result, value, this.#redactor) };
  }
}

/** Only the first bus reports what was found in the file. */
const ALREADY: Pick<Store["resumed"], "recovered" | "continues"> = { recovered: 0 };

/** The input of a dispatch without a recorded call: no handler was called, or the transcript was attached later. */
function inputOf(event: HookEvent, { decision, result }: TapDispatch, redactor: Redactor): Input {
  const isRewritten = decision?.modified === true || result?.trail.some(({ action }) => action === "replace") === true;
  return isRewritten ? { payload: unseen(), value: unseen() } : describeInput(event, redactor);
}

/** Dispatches that never end (their process did, or a guard aborted them) must not fill the memory. */
const MAX_OPEN = 10_000;

/** The input of each running dispatch, kept until it ends, because by then the event carries the rewritten payload. */
class Inputs {
  readonly #open = new Map<string, Input>();

  get size(): number {
    return this.#open.size;
  }

  /** The first handler sees the input, because only a handler can rewrite it. */
  begin(id: string, input: Input): void {
    if (this.#open.has(id)) return;
    const [oldest] = this.#open.keys();
    if (this.#open.size >= MAX_OPEN && oldest !== undefined) this.#open.delete(oldest);
    this.#open.set(id, input);
  }

  end(id: string): Input | undefined {
    const input = this.#open.get(id);
    this.#open.delete(id);
    return input;
  }
}
