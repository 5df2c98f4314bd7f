import { HookError } from "../catalog/errors.js";
import { messageOf } from "./describe-error.js";

/** A module that is loaded apart from the entry, for where the caller waits for a promise anyway. */
export class LazyPart<T extends object> {
  /** The module, once it is there. */
  loaded: T | undefined;
  #loading: Promise<T> | undefined;
  readonly #import: () => Promise<T>;

  constructor(load: () => Promise<T>) {
    this.#import = load;
  }

  /** Rejects with `HL_NOT_LOADED`. */
  async load(): Promise<T> {
    try {
      this.#loading ??= this.#import();
      this.loaded = await this.#loading;
      return this.loaded;
    } catch (cause) {
      this.#loading = undefined;
      throw new HookError("HL_NOT_LOADED", `A part of @hookline/core could not be loaded: ${messageOf(cause)}`, { cause });
    }
  }

  /** Loads it before it is needed: by then the file may have been changed. Whoever needs it is told what went wrong. */
  prepare(): void {
    if (this.#loading === undefined) this.load().catch(() => {});
  }
}
