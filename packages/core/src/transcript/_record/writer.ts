import { messageOf } from "../../bus/describe-error.js";
import { HookError } from "../../catalog/errors.js";
import { seal } from "../_chain/seal.js";
import type { EntryBody, TranscriptHead } from "../entries.js";
import type { TranscriptSettings } from "../options.js";
import type { Store } from "./store.js";

/** The one end of a chain. Whatever fails is counted and reported, never thrown. */
export class Writer {
  readonly #store: Store;
  readonly #settings: Pick<TranscriptSettings, "now" | "onError">;
  #head: TranscriptHead;
  #id: string | undefined;
  #lost = 0;
  /** Lost since the last entry: the next one to be written says so. */
  #untold = 0;
  #isFailing = false;
  #isBusy = false;
  #isClosed = false;

  constructor(store: Store, settings: Pick<TranscriptSettings, "now" | "onError">) {
    this.#store = store;
    this.#settings = settings;
    this.#head = store.resumed.head;
    this.#id = store.resumed.id;
  }

  get head(): TranscriptHead {
    return this.#head;
  }

  /** The hash of the first entry. */
  get id(): string | undefined {
    return this.#id;
  }

  get lost(): number {
    return this.#lost;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Runs something that calls `append`. */
  record(run: () => void): void {
    // What writing or redacting sets off cannot be written meanwhile: a chain has one end.
    if (this.#isBusy || this.#isClosed) return this.#lose(this.#isClosed ? closed() : undefined);
    this.#isBusy = true;
    try {
      run();
    } catch (error) {
      this.#lose(asHookError(error));
    } finally {
      this.#isBusy = false;
    }
  }

  /** Only within `record`. */
  append(body: EntryBody): void {
    // Closed by what it calls meanwhile: the file's descriptor may belong to another file by now.
    if (this.#isClosed) throw closed();
    const at = new Date(this.#settings.now()).toISOString();
    const { line, head } = seal({ ...body, lostBefore: this.#untold === 0 ? undefined : this.#untold }, at, this.#head);
    this.#store.append(line);
    this.#head = head;
    if (head.n === 1) this.#id = head.hash;
    this.#untold = 0;
    this.#isFailing = false;
  }

  close(): void {
    this.#isClosed = true;
    try {
      this.#store.close();
    } catch (error) {
      this.#settings.onError(asHookError(error));
    }
  }

  #lose(error: HookError | undefined): void {
    this.#lost++;
    this.#untold++;
    if (error === undefined || this.#isFailing) return;
    this.#isFailing = true;
    this.#settings.onError(error);
  }
}

function asHookError(error: unknown): HookError {
  if (error instanceof HookError) return error;
  return new HookError("HL_TRANSCRIPT_IO", `A transcript entry could not be recorded: ${messageOf(error)}.`, { cause: error });
}

function closed(): HookError {
  return new HookError("HL_TRANSCRIPT_CLOSED", "Something happened on the bus after its transcript was closed; it is not recorded.");
}
