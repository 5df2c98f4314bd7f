import { createHash } from "node:crypto";
import { join } from "node:path";
import { HookError } from "@hookline/core";
import { openFolder, readPrivately, replacePrivately, stateFolder } from "@hookline/core/internal/machine";
import type { Era } from "../protocol/era.js";
import { type Fields, fieldsOf } from "../protocol/message.js";

/** A server behind the gateway: what it is called, and what is started or asked for it. */
export interface ServerIdentity {
  /** Part of its tools' names. */
  readonly name: string;
  /** The command with its arguments, or the URL. */
  readonly target: readonly string[];
}

/** A text of a server that the model reads, as it was when it was pinned. */
export interface Pin {
  readonly hash: string;
  /** What was pinned, to show what has changed. */
  readonly definition: unknown;
}

export type Pins = { readonly [item: string]: Pin };

/** What is known about a server between two runs. In the folder `mcp` of the state folder; `hookline doctor` reads `name` and `faults`. */
export interface ServerRecord {
  readonly version: 1;
  readonly name: string;
  /** The program or the address, without arguments: those may be secrets. */
  readonly shown: string;
  /** The accepted texts. */
  readonly pins: Pins;
  /** What differs from its pin and waits for an operator. */
  readonly changed: Pins;
  /** What each side spoke when it was last seen. */
  readonly eras?: { readonly client: Era; readonly server: Era };
  /** What a client was told about the server, by the version that it asked for. */
  readonly hello?: { readonly asked: string; readonly result: Fields };
  readonly faults: readonly { readonly at: string; readonly what: string }[];
}

const MAX_BYTES = 16 * 1024 * 1024;
const MAX_FAULTS = 10;

/** Holds a lock while it acts. Throws what `busy` gives if another process keeps the lock. */
export type WithLock = <T>(path: string, busy: () => HookError, act: () => T) => T;

export interface ServerStoreOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly withLock: WithLock;
}

/** The record of one server. Reads the file at each look: another process may have accepted a change. */
export class ServerStore {
  readonly #folder: string;
  readonly #identity: ServerIdentity;
  readonly #withLock: WithLock;
  readonly id: string;

  constructor(identity: ServerIdentity, { env, withLock }: ServerStoreOptions) {
    this.#folder = recordsFolder(env);
    this.#identity = identity;
    this.#withLock = withLock;
    this.id = recordId(identity);
  }

  /** Throws if there is a record that cannot be trusted: without its pins, every text would count as new. */
  read(): ServerRecord {
    const { name, target } = this.#identity;
    return readRecord(this.#folder, this.id) ?? { version: 1, name, shown: shownTarget(target), pins: {}, changed: {}, faults: [] };
  }

  /** Changes what the record has at this moment: no other process writes between the look and the change. */
  update(change: (record: ServerRecord) => Partial<ServerRecord>): void {
    changeRecord({ folder: this.#folder, id: this.id, withLock: this.#withLock }, () => {
      const record = this.read();
      return { ...record, ...change(record) };
    });
  }

  /** Keeps the newest faults, for `hookline doctor`. The gateway goes on if it cannot write the record. */
  noteFault(what: string): void {
    try {
      this.update(({ faults }) => ({ faults: [...faults, { at: new Date().toISOString(), what }].slice(-MAX_FAULTS) }));
    } catch {
      // It was said on stderr.
    }
  }
}

export function recordsFolder(env: NodeJS.ProcessEnv): string {
  return join(stateFolder(env), "mcp");
}

/** The record with this id; `undefined` if there is none. Throws for one that cannot be trusted. */
export function readRecord(folder: string, id: string): ServerRecord | undefined {
  const read = readPrivately(folder, `${id}.json`, { maxBytes: MAX_BYTES });
  if (read.state === "none") return undefined;
  const reason = read.state === "found" ? "it is not a record of an MCP server" : read.reason;
  const record = read.state === "found" ? parse(read.bytes.toString("utf8")) : undefined;
  if (record !== undefined) return record;
  throw new Error(`The record "${join(folder, `${id}.json`)}" cannot be used: ${reason}. Look at it, then remove it.`);
}

export interface RecordPlace {
  readonly folder: string;
  readonly id: string;
  readonly withLock: WithLock;
}

/** Writes what `change` makes, while no other process writes any record. */
export function changeRecord({ folder, id, withLock }: RecordPlace, change: () => ServerRecord): void {
  const lock = join(openFolder(folder), "records.lock");
  const busy = (): HookError =>
    new HookError("HL_MCP_SETTING", `Another process keeps the records of MCP servers in "${folder}" locked.`, { fix: "Run this again." });
  withLock(lock, busy, () => replacePrivately(folder, `${id}.json`, `${JSON.stringify(change())}\n`));
}

/** The same name with another command is another server. */
function recordId({ name, target }: ServerIdentity): string {
  const hash = createHash("sha256")
    .update(JSON.stringify([name, ...target]))
    .digest("hex");
  return `${name}-${hash.slice(0, 12)}`;
}

function shownTarget([first = ""]: readonly string[]): string {
  if (!URL.canParse(first) || !/^https?:/.test(first)) return first;
  const { origin, pathname } = new URL(first);
  return `${origin}${pathname}`;
}

function parse(text: string): ServerRecord | undefined {
  let value: Fields;
  try {
    value = fieldsOf(JSON.parse(text));
  } catch {
    return undefined;
  }
  const isSound =
    value.version === 1 && typeof value.name === "string" && isPins(value.pins) && isPins(value.changed) && Array.isArray(value.faults);
  return isSound ? (value as unknown as ServerRecord) : undefined;
}

function isPins(value: unknown): value is Pins {
  return (
    typeof value === "object" &&
    value !== null &&
    Object.values(value).every((pin) => typeof fieldsOf(pin).hash === "string" && "definition" in fieldsOf(pin))
  );
}
