import { HookError } from "../catalog/errors.js";
import { messageOf } from "./describe-error.js";

/** What is loaded when it is first needed. A load that fails is tried again at the next need. */
export class LazyPart<T extends object> {
  /** What was loaded, once it is there. */
  loaded: T | undefined;
  #loading: Promise<T> | undefined;
  readonly #import: () => Promise<T>;

  constructor(load: () => Promise<T>) {
    this.#import = load;
  }

  /** Acts with it: at once if it is there. `refuse` gets an `HL_NOT_LOADED`, and says what comes of it. */
  use<R, F>(act: (part: T) => Promise<R>, refuse: (notLoaded: HookError) => F): Promise<R | F> {
    if (this.loaded !== undefined) return act(this.loaded);
    return this.load().then(act, (cause) =>
      refuse(new HookError("HL_NOT_LOADED", `A part of @hookline/core could not be loaded: ${messageOf(cause)}`, { cause })),
    );
  }

  async load(): Promise<T> {
    try {
      this.#loading ??= this.#import();
      this.loaded = await this.#loading;
      return this.loaded;
    } catch (error) {
      this.#loading = undefined;
      throw error;
    }
  }

  /** Loads it before it is needed: by then the file may have been changed. What went wrong is reported by `use`. */
  prepare(): void {
    if (this.#loading === undefined) this.load().catch(() => {});
  }
}
