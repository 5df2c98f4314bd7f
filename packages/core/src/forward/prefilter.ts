import { relay } from "../bus/relayed.js";
import type { HookEvent } from "../bus/types.js";
import type { OutcomeKind } from "../catalog/events.js";
import type { Outcome } from "../catalog/outcomes.js";
import type { Concern } from "../match/concern.js";
import { compilePath, type Reader } from "../match/path.js";
import { toText } from "../match/text.js";
import { compileToolFilter } from "../match/tool-filter.js";
import { faultOfName } from "../match/tool-name.js";
import { compileWords, OTHER, type WordTable } from "../redact/word-table.js";
import { isPlainJson } from "../text/exact-json.js";
import type { PrefilterData } from "../wire/hub-protocol.js";

/** What concerns a tool: every call of it, or calls with one of the words in the text at a path. */
type ToolConcerns = "all" | readonly { readonly read: Reader; readonly words: WordTable }[];

/** A longer literal is found by its beginning. */
const LONGEST = 32;
/** Tools' names come from outside; past this many the list starts again. */
const MAX_NAMES = 256;
/** Far less than the hub would refuse to judge. */
const LIMITS = { maxDepth: 32, maxNodes: 1_000, maxChars: 64 * 1024 };
/** In lower case, these two are ASCII or begin with it: the Kelvin sign, and a capital i with a dot. */
const FOLDED: { readonly [code: number]: number } = { 8490: 107, 304: 105 };

/**
 * Tells which calls cannot concern the hub: no rule and no hook of its would be called for them. Whatever is unusual about a call, the answer is that
 * it may.
 */
export class Prefilter {
  readonly version: string;
  /** What the handler `hub` answers for a call that it did not ask about. */
  readonly pass: readonly Outcome<OutcomeKind>[];
  readonly #gates: ReadonlyMap<string, Gate>;
  readonly #shellTools: ReadonlySet<string>;
  readonly #shellFields: ReadonlySet<string>;

  /** Throws for data that it does not understand. */
  constructor({ version, gates, shell }: PrefilterData) {
    this.version = version;
    const reason = `No guard of the hub concerns this call (policy ${version}).`;
    const actor = { kind: "policy", name: "prefilter", at: "hub" } as const;
    this.pass = relay([], { steps: [{ actor, stage: "guard", round: 0, action: "pass", reason }] });
    this.#gates = new Map(Object.entries(gates).map(([event, concerns]) => [event, new Gate(concerns)]));
    this.#shellTools = new Set(shell.tools);
    this.#shellFields = new Set(shell.fields);
  }

  /** Whether the hub would let the call pass without a word. Never throws. */
  passes({ name, payload }: Pick<HookEvent, "name" | "payload">): boolean {
    const gate = this.#gates.get(name);
    if (gate === undefined) return false;
    try {
      return this.#isUsual(payload) && isPlainJson(payload, LIMITS) && !gate.isConcerned(payload.tool.name, payload);
    } catch {
      return false;
    }
  }

  /** A tool with one name and an input with fields, and no command: text for a shell has too many spellings. */
  #isUsual(payload: unknown): payload is { readonly tool: { readonly name: string } } {
    const { tool, target } = payload as Call;
    // Of a list, JSON carries no fields.
    if (typeof tool !== "object" || tool === null || Array.isArray(tool) || Array.isArray(payload) || target !== undefined) return false;
    const { name, runtimeName, input } = tool;
    if (typeof name !== "string" || runtimeName !== undefined || this.#shellTools.has(name.toLowerCase())) return false;
    if (faultOfName(name) !== undefined) return false;
    if (typeof input !== "object" || input === null || Array.isArray(input)) return false;
    for (const field in input) if (this.#shellFields.has(field)) return false;
    return true;
  }
}

interface Call {
  readonly tool?: { readonly name?: unknown; readonly runtimeName?: unknown; readonly input?: unknown } | null;
  readonly target?: unknown;
}

class Gate {
  readonly #concerns: readonly Concern[];
  readonly #filters: readonly (((payload: unknown) => boolean) | undefined)[];
  readonly #byName = new Map<string, ToolConcerns>();

  constructor(concerns: readonly Concern[]) {
    this.#concerns = concerns;
    this.#filters = concerns.map(({ tool }) => (tool === undefined ? undefined : compileToolFilter(tool)));
    // What cannot be compiled is found here, not at a call.
    for (const { texts = [] } of concerns) for (const { path } of texts) compilePath(path);
  }

  isConcerned(tool: string, payload: unknown): boolean {
    const concerns = this.#byName.get(tool) ?? this.#compile(tool);
    if (concerns === "all") return true;
    for (const { read, words } of concerns) if (contains(words, toText(read(payload)))) return true;
    return false;
  }

  #compile(name: string): ToolConcerns {
    const own = this.#concerns.filter((_, index) => this.#filters[index]?.({ tool: { name } }) !== false);
    const byPath = new Map<string, string[]>();
    for (const { texts = [] } of own) for (const { path, literals } of texts) byPath.set(path, [...(byPath.get(path) ?? []), ...literals]);
    const concerns = own.some(({ texts }) => texts === undefined)
      ? "all"
      : [...byPath].map(([path, literals]) => ({ read: compilePath(path), words: compileWords([literals], LONGEST) }));
    if (this.#byName.size >= MAX_NAMES) this.#byName.clear();
    this.#byName.set(name, concerns);
    return concerns;
  }
}

function contains({ symbols, moves, firstHit }: WordTable, text: string): boolean {
  let state = 0;
  for (let at = 0; at < text.length; at++) {
    const given = text.charCodeAt(at);
    const code = given < 128 ? given : (FOLDED[given] ?? 128);
    state = moves[state + (code < 128 ? (symbols[code] as number) : OTHER)] as number;
    if (state >= firstHit) return true;
  }
  return false;
}
