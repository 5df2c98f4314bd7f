import { inertLines } from "@hookline/core/internal/text";
import type { Fields } from "../protocol/message.js";
import { INSTRUCTIONS, pinLines, pinOf, toolPin } from "./pin-items.js";
import type { Pin, Pins, ServerStore } from "./server-record.js";

export interface PinnedTextsOptions {
  readonly store: ServerStore;
  /** Shows two texts as `diff -u` does. */
  readonly diff: (path: string, before: string, after: string) => string;
  /** Hears of an item that was pinned or that differs from its pin. */
  readonly onChange: (item: string, state: "pinned" | "changed", detail: string) => void;
}

/** The texts of a server that a model reads: the first ones are pinned, and others wait for an operator. */
export class PinnedTexts {
  readonly #options: PinnedTextsOptions;
  /** What this process has seen to differ. Whether it was accepted meanwhile is in the record. */
  readonly #changed = new Map<string, Pin>();

  constructor(options: PinnedTextsOptions) {
    this.#options = options;
  }

  /** The tools as the client may see them: one that differs from its pin is shown as it was pinned, of two with one name the first, and none without a name. */
  check(tools: readonly Fields[]): readonly Fields[] {
    const found = new Map<string, Fields>();
    for (const tool of tools) if (typeof tool.name === "string" && !found.has(tool.name)) found.set(tool.name, tool);
    const pins = this.#compare(new Map([...found].map(([name, tool]) => [name, toolPin(tool)])));
    return [...found].map(([name, tool]) => {
      const pin = this.#changed.has(name) ? pins[name] : undefined;
      return pin === undefined ? tool : { ...(pin.definition as Fields), description: withNote(pin.definition as Fields) };
    });
  }

  /** The instructions that the client may see. */
  instructions(text: string): string | undefined {
    const pins = this.#compare(new Map([[INSTRUCTIONS, pinOf(text)]]));
    return this.#changed.has(INSTRUCTIONS) ? (pins[INSTRUCTIONS]?.definition as string | undefined) : text;
  }

  /** What differs for this tool, for the person who is asked; `undefined` if nothing does. */
  difference(tool: string): string | undefined {
    const now = this.#changed.get(tool);
    if (now === undefined) return undefined;
    const pinned = this.#options.store.read().pins[tool];
    if (pinned?.hash !== now.hash) return differenceText(tool, pinned, now, this.#options.diff);
    this.#changed.delete(tool);
    return undefined;
  }

  /** Pins what is new, notes what differs, and gives the pins. */
  #compare(found: ReadonlyMap<string, Pin>): Pins {
    const { store, onChange } = this.#options;
    const { pins, changed } = store.read();
    const added = [...found].filter(([item]) => !Object.hasOwn(pins, item));
    const differing = [...found].filter(([item, { hash }]) => Object.hasOwn(pins, item) && pins[item]?.hash !== hash);
    const isNoted = differing.every(([item, { hash }]) => changed[item]?.hash === hash);
    for (const item of found.keys()) this.#changed.delete(item);
    for (const [item, pin] of differing) this.#changed.set(item, pin);
    if (added.length > 0 || !isNoted)
      store.update((record) => ({
        // Those that another process has pinned meanwhile stay.
        pins: { ...Object.fromEntries(added), ...record.pins },
        changed: { ...record.changed, ...Object.fromEntries(differing) },
      }));
    for (const [item] of added) onChange(item, "pinned", "");
    for (const [item, pin] of differing)
      if (changed[item]?.hash !== pin.hash) onChange(item, "changed", differenceText(item, pins[item], pin, this.#options.diff));
    return pins;
  }
}

/** What a person needs to decide: the old and the new text. */
export function differenceText(item: string, before: Pin | undefined, now: Pin, diff: PinnedTextsOptions["diff"]): string {
  return inertLines(diff(item, before === undefined ? "" : pinLines(before), pinLines(now)).trimEnd());
}

function withNote({ description }: Fields): string {
  const pinned = typeof description === "string" ? `${description}\n\n` : "";
  return `${pinned}[Hookline: the server has changed the description of this tool. This is the accepted one, and calls wait for a person.]`;
}
