import { existsSync, globSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The clock of the processes that are started through it, ahead of the machine's own or behind it. Needs Debian's libfaketime. */
export class FakeClock {
  /** Comes before a command. */
  readonly through: readonly string[];
  readonly #file: string;

  private constructor(library: string, folder: string) {
    this.#file = join(folder, "clock");
    this.set(0);
    this.through = [
      "env",
      `LD_PRELOAD=${library}`,
      `FAKETIME_TIMESTAMP_FILE=${this.#file}`,
      "FAKETIME_CACHE_DURATION=1",
      // Time limits run on the monotonic clock, which never jumps.
      "FAKETIME_DONT_FAKE_MONOTONIC=1",
    ];
  }

  static open(folder: string): FakeClock | string {
    const [library] = globSync("/usr/lib/*/faketime/libfaketimeMT.so.1");
    if (library === undefined || !existsSync(library)) return "clock jumps need libfaketime (apt-get install libfaketime)";
    return new FakeClock(library, folder);
  }

  /** In seconds, from now on. */
  set(offset: number): void {
    writeFileSync(`${this.#file}.new`, `${offset < 0 ? "-" : "+"}${Math.abs(offset)}\n`);
    renameSync(`${this.#file}.new`, this.#file);
  }
}
