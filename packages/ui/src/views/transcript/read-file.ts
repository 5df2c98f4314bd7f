import type { PlacedEvent } from "../../api/answers.js";
import { type FeedRow, toRow } from "../../state/feed-row.js";
import { type Chain, createChainCheck } from "./check-chain.js";
import { createReader, type ReadFile } from "./read-transcript.js";

/** How long the page may be busy at a stretch: about a frame. */
const STRETCH_MS = 12;
const LINES_AT_ONCE = 200;

export interface OpenedFile extends ReadFile {
  readonly chain: Chain;
  /** The events as a list shows them. */
  readonly rows: readonly FeedRow[];
  /** The place of the event whose entry breaks the chain, if one does. */
  readonly broken: number | undefined;
}

/** Reads a file line by line, in small stretches, so that the page goes on meanwhile. Tells how much of it is read, from 0 to 1. */
export async function readFile(file: Blob, onProgress: (share: number) => void = () => {}): Promise<OpenedFile> {
  const reader = createReader();
  const chain = createChainCheck();
  const breathe = createBreath();
  let count = 0;
  let size = 0;
  for await (const line of linesOf(file)) {
    size += line.length + 1;
    if (line.trim() === "") continue;
    chain.add(line, reader.add(line));
    if (++count % LINES_AT_ONCE === 0) await chain.catchUp();
    const pause = breathe();
    if (pause === false) continue;
    onProgress(Math.min(1, size / file.size));
    await pause;
  }
  await chain.catchUp();
  const { events, numbers, entries, unread } = reader.result();
  const shown: { event: PlacedEvent; row: FeedRow }[] = [];
  for (const event of events) {
    const row = rowOf(event);
    if (row !== undefined) shown.push({ event, row });
    const pause = breathe();
    if (pause !== false) await pause;
  }
  const result = chain.result();
  return {
    events: shown.map(({ event }) => event),
    numbers,
    entries,
    unread: unread + events.length - shown.length,
    rows: shown.map(({ row }) => row),
    chain: result,
    broken: brokenPlace(result, numbers),
  };
}

/** The first and the last entry of a transcript are of no event. */
function brokenPlace(chain: Chain, numbers: ReadFile["numbers"]): number | undefined {
  if (chain.state !== "broken") return undefined;
  const { n = chain.line } = chain;
  const index = numbers.findIndex((own) => own.includes(n));
  return index < 0 ? undefined : index + 1;
}

/** Nothing for an event that cannot be shown: it is one less, and is counted as that. */
function rowOf(event: PlacedEvent): FeedRow | undefined {
  try {
    return toRow(event);
  } catch {
    return undefined;
  }
}

/** A pause for the page to go on, when it has been busy for long enough. */
function createBreath(): () => Promise<void> | false {
  let begun = performance.now();
  const pause = async (): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve));
    begun = performance.now();
  };
  return () => (performance.now() - begun < STRETCH_MS ? false : pause());
}

async function* linesOf(file: Blob): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const stream = file.stream().getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await stream.read();
    rest += decoder.decode(value, { stream: !done });
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
    if (done) break;
  }
  if (rest !== "") yield rest;
}
