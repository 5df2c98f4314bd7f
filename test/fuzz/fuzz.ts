import { createRandom } from "../faults/oracle.ts";
import { corpusOf } from "./corpus.ts";
import { mutate } from "./mutate.ts";
import type { FuzzTarget, Subject } from "./target.ts";

/** An input that was read wrongly. */
export interface Finding {
  readonly target: string;
  /** Its number, in a run with this seed. */
  readonly number: number;
  readonly what: string;
  readonly input: Buffer;
}

export interface FuzzOptions {
  readonly runs: number;
  readonly seed: number;
  /** Told of each input before it is read. */
  readonly onInput?: (number: number, input: Buffer) => void;
}

export interface FuzzReport {
  readonly inputs: number;
  readonly findings: readonly Finding[];
  /** The most CPU time that an input took. */
  readonly slowestMs: number;
  /** How many bytes more are in use at the end than after a quarter of the inputs. */
  readonly grownBytes: number;
}

const MOST_CPU_MS = 1_000;
const MOST_GROWTH = 48 * 1024 * 1024;
/** Fewer inputs than these say nothing about memory. */
const FEWEST_FOR_MEMORY = 2_000;
const MOST_FINDINGS = 20;

/** Feeds a target with its kept inputs, its samples and mutations of both. The seed fixes all of them. */
export async function fuzz(target: FuzzTarget, { runs, seed, onInput = () => {} }: FuzzOptions): Promise<FuzzReport> {
  const subject = await target.open();
  try {
    const findings: Finding[] = [];
    let [number, slowestMs, early] = [0, 0, 0];
    for (const input of inputsOf(target, runs, seed)) {
      onInput(number, input);
      const before = subject.cpuMs();
      const what = await fed(subject, input);
      const ms = subject.cpuMs() - before;
      slowestMs = Math.max(slowestMs, ms);
      const fault = what ?? (ms > MOST_CPU_MS ? `it took ${Math.round(ms)} ms of CPU time` : undefined);
      if (fault !== undefined) findings.push({ target: target.name, number, what: fault, input });
      if (findings.length >= MOST_FINDINGS) break;
      if (++number === Math.ceil(runs / 4)) early = await subject.usedBytes();
    }
    const grownBytes = runs < FEWEST_FOR_MEMORY || early === 0 ? 0 : (await subject.usedBytes()) - early;
    if (grownBytes > MOST_GROWTH)
      findings.push({ target: target.name, number, what: `the memory grew by ${grownBytes} bytes`, input: Buffer.alloc(0) });
    return { inputs: number, findings, slowestMs, grownBytes };
  } finally {
    await subject.close();
  }
}

async function fed(subject: Subject, input: Buffer): Promise<string | undefined> {
  try {
    return await subject.feed(input);
  } catch (error) {
    return `it threw: ${error instanceof Error ? error.stack : String(error)}`;
  }
}

function* inputsOf({ name, samples, words }: FuzzTarget, runs: number, seed: number): Generator<Buffer> {
  const random = createRandom(seed);
  const kept = corpusOf(name);
  const bases = [...kept, ...samples.map((text) => Buffer.from(text))];
  yield* bases.slice(0, runs);
  for (let count = bases.length; count < runs; count++) yield mutate(random.pick(bases), random, words, random.pick(bases));
}
