import { rmSync } from "node:fs";
import { join } from "node:path";
import { readPrivately, replacePrivately, watchSignature } from "@hookline/core/internal/machine";
import { z } from "zod";
import type { AlarmReport } from "../alarms/alarms.js";
import { PROTECT_FILE } from "../mode.js";
import type { Store } from "../store/store.js";
import { type DerivedKey, factorsText, type ProtectSettings, parseSettings, readSettings } from "./settings.js";

export interface KeptSettingsOptions {
  readonly state: string;
  readonly store: Pick<Store, "fact" | "setFact">;
  readonly raise: (alarm: AlarmReport) => void;
  /** Told, for the record, when the factors change. */
  readonly note: (message: string) => void;
  readonly onProblem: (text: string) => void;
}

/** Why the hub does not operate. */
interface Locked {
  readonly why: string;
  readonly fix: { readonly run: string } | string;
  /** Missing if no recovery code can be checked. */
  readonly recovery?: DerivedKey;
}

/** The factors, in memory, in the file and in the store. */
export interface KeptSettings {
  readonly settings: ProtectSettings | undefined;
  readonly locked: Locked | undefined;
  /** One change after the other. */
  change(message: string, make: () => ProtectSettings | Promise<ProtectSettings>): Promise<void>;
  /** For what the store does not need: the counters of passkeys. */
  update(settings: ProtectSettings): void;
  /** No factors from now on. */
  clear(check: () => void): Promise<void>;
  close(): void;
}

const FACT = "protect";

/**
 * The settings are in memory while the hub lives. The file is for the next start, and the store has a copy: if the two disagree then, one of
 * them was changed from outside, and the hub does not operate before it gets the recovery code.
 */
export async function openKeptSettings({ state, store, raise, note, onProblem }: KeptSettingsOptions): Promise<KeptSettings> {
  const path = join(state, PROTECT_FILE);
  const start = startState(readSettings(state), readRecord(await store.fact(FACT)), path);
  let settings = start.settings;
  let locked = start.locked;
  let changing: Promise<unknown> = Promise.resolve();
  /** What the file must hold; `undefined` for no file. */
  let expected = settings && fileText(settings);

  if (start.alarm !== undefined) raise({ kind: "tampered", path, text: start.alarm, ...(locked && { fix: locked.fix }) });
  if (settings !== undefined) {
    await store.setFact(FACT, JSON.stringify([factorsText(settings)]));
    if (textIn(state) !== expected) writeFile();
  }

  const watch = watchSignature({
    signature: () => textIn(state) ?? "",
    before: locked === undefined ? (expected ?? "") : (textIn(state) ?? ""),
    files: { folder: state, names: [PROTECT_FILE] },
    onChange: putBack,
  });

  function putBack(): void {
    if (locked !== undefined || textIn(state) === expected) return;
    const what = expected === undefined ? "appeared" : textIn(state) === undefined ? "was removed" : "was changed";
    raise({
      kind: "tampered",
      path,
      text: `The file of hookline protect ${what}, and not by the hub. The hub ignores it and has put ${expected === undefined ? "nothing in its place" : "its own back"}.`,
    });
    writeFile();
  }

  function writeFile(): void {
    try {
      if (expected === undefined) rmSync(path, { force: true });
      else replacePrivately(state, PROTECT_FILE, expected);
    } catch (error) {
      onProblem(
        `"${path}" could not be written, so hookline protect will need the recovery code after a restart: ${(error as Error).message}`,
      );
    }
  }

  function use(next: ProtectSettings | undefined): void {
    settings = next;
    locked = undefined;
    expected = next && fileText(next);
    writeFile();
  }

  function inTurn(act: () => Promise<void>): Promise<void> {
    const done = changing.then(act);
    changing = done.catch(() => {});
    return done;
  }

  return {
    get settings() {
      return settings;
    },
    get locked() {
      return locked;
    },
    /** The store has both versions while the file changes, so a crash in between does not lock the hub. */
    change: (message, make) =>
      inTurn(async () => {
        const next = await make();
        const texts = [next, ...(settings === undefined ? [] : [settings])].map(factorsText);
        await store.setFact(FACT, JSON.stringify(texts));
        use(next);
        await store.setFact(FACT, JSON.stringify(texts.slice(0, 1)));
        note(message);
      }),
    update(next) {
      settings = next;
      expected = fileText(next);
      writeFile();
    },
    clear: (check) =>
      inTurn(async () => {
        check();
        await store.setFact(FACT, undefined);
        use(undefined);
      }),
    close: () => watch.close(),
  };
}

interface StartState {
  readonly settings?: ProtectSettings;
  readonly locked?: Locked;
  readonly alarm?: string;
}

/** The store's copy counts where it and the file disagree. */
function startState(file: ReturnType<typeof readSettings>, record: readonly ProtectSettings[], path: string): StartState {
  const [known] = record;
  if (known === undefined) {
    if (file.state === "none") return {};
    if (file.state === "found")
      return { settings: file.settings, alarm: "hookline protect is on according to its file, but the store does not know about it." };
    const why =
      "The file of hookline protect cannot be read, and the store does not know whether protect was on. The hub does not operate.";
    return { locked: { why, fix: `Stop the hub, remove "${path}", and start the hub again.` }, alarm: why };
  }
  if (file.state === "found" && record.some((settings) => factorsText(settings) === factorsText(file.settings)))
    return { settings: file.settings };
  const why = `The file of hookline protect ${file.state === "none" ? "was removed" : "was changed"} while the hub was stopped. The hub does not operate until you enter the recovery code.`;
  return { locked: { why, fix: { run: "hookline protect recover" }, recovery: known.recovery }, alarm: why };
}

function readRecord(text: string | undefined): readonly ProtectSettings[] {
  if (text === undefined) return [];
  const texts = z.array(z.string()).safeParse(JSON.parse(text));
  return (texts.data ?? []).flatMap((one) => parseSettings(one) ?? []);
}

function fileText(settings: ProtectSettings): string {
  return `${JSON.stringify(settings, undefined, 2)}\n`;
}

/** A file that others can write, or that is a link, a pipe or a folder, has no text of ours. */
function textIn(state: string): string | undefined {
  const read = readPrivately(state, PROTECT_FILE);
  if (read.state === "none") return undefined;
  return read.state === "found" ? read.bytes.toString("utf8") : `${read.state}: ${read.reason}`;
}
