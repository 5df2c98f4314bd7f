import { realpathSync } from "node:fs";
import { HookError } from "@hookline/core";
import { shellWord } from "@hookline/core/internal/text";
import { deriveSource } from "../derive-source.js";
import type { OwnedSource, StartCheck } from "../handler-source.js";
import { hashEntries } from "../trust/hash-folder.js";
import { readFolder } from "../trust/read-folder.js";
import { stampOf } from "./folder-version.js";
import { checkedFiles } from "./hook-code.js";

/** A verified copy, and its state at that time. */
export interface Copy {
  readonly folder: string;
  readonly stamp: string;
  readonly hash: string;
  /** The command that makes it again. Default: consent. */
  readonly run?: string;
}

/** A source that runs only while its folder is unchanged: its program may start long after the folder was verified. */
export function withIntactCopy(source: OwnedSource, { folder, stamp, run }: Copy): OwnedSource {
  const check = (): void => {
    if (stampOf(folder) !== stamp) throw changed(source.name, folder, run);
  };
  return deriveSource(source, {
    // Each event checks the copy first, so nothing of it is loaded before the first one.
    startsEarly: false,
    handle(event, hook) {
      check();
      return source.handle(event, hook);
    },
    async start() {
      check();
      await source.start?.();
    },
  });
}

/** Verifies every byte of a copy before each start of a program in it. */
export function copyCheck(name: string, { folder, hash, run }: Omit<Copy, "stamp">): StartCheck {
  return (since) => {
    const entries = readFolder(folder);
    const files = hashEntries(entries) === hash ? checkedFiles({ root: realpathSync(folder), entries }, true, since) : undefined;
    if (files === undefined) throw changed(name, folder, run);
    return files;
  };
}

function changed(name: string, folder: string, run = `hookline hooks trust ${shellWord(name)}`): HookError {
  const message = `The trusted copy "${folder}" of the hook "${name}" was changed, so it does not run.`;
  return new HookError("HL_UNTRUSTED", message, { failure: "untrusted", fix: { run } });
}
