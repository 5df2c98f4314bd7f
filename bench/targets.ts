import { type AllocationResult, allocationOf } from "./allocations.ts";
import { difference, nanoseconds, type RowResult, ratio } from "./measure.ts";

interface Claim {
  readonly row: string;
  readonly contender: string;
}
/** At most so many times the peer; `orNs` is reached by that many nanoseconds too. */
interface RatioTarget extends Claim {
  readonly kind: "at most";
  readonly peer: string;
  readonly limit: number;
  readonly orNs?: number;
}
/** At least so many times as fast as the peer. */
interface FasterTarget extends Claim {
  readonly kind: "faster";
  readonly peer: string;
  readonly limit: number;
}
/** At most so many nanoseconds more than the peer. */
interface AddsTarget extends Claim {
  readonly kind: "adds";
  readonly peer: string;
  readonly limitNs: number;
}
export type Target = RatioTarget | FasterTarget | AddsTarget;

/** At most so many objects per operation, together no larger than so many bytes. */
export interface AllocationTarget extends Claim {
  readonly objects: number;
  readonly bytes: number;
}

export interface Judgement {
  readonly row: string;
  readonly claim: string;
  readonly measured: string;
  readonly isReached: boolean;
}

export function judge(target: Target, results: readonly RowResult[]): Judgement {
  const result = results.find(({ row }) => row.name === target.row);
  if (!result) throw new Error(`A target names the row "${target.row}", which was not measured.`);
  if (target.kind === "at most") return judgeRatio(target, result);
  return target.kind === "faster" ? judgeFaster(target, result) : judgeAdds(target, result);
}

export function judgeAllocation(target: AllocationTarget, results: readonly AllocationResult[]): Judgement {
  const result = results.find(({ row }) => row.name === target.row);
  if (!result) throw new Error(`A target names the row "${target.row}", which was not measured.`);
  const { objects, bytes } = allocationOf(result, target.contender);
  return {
    row: target.row,
    claim: `${target.contender}: ${allocationLimit(target)}`,
    measured: `${objects.toFixed(2)} objects, ${bytes.toFixed(1)} bytes`,
    // The rest is room for the profiler's own few objects.
    isReached: objects <= target.objects + 0.02 && bytes <= target.bytes + 0.5,
  };
}

function allocationLimit({ objects, bytes }: AllocationTarget): string {
  return objects === 0 ? "no allocation" : `at most ${objects} object of ${bytes} bytes`;
}

function judgeRatio({ row, contender, peer, limit, orNs }: RatioTarget, result: RowResult): Judgement {
  const measured = ratio(result, contender, peer);
  const ns = nanoseconds(result, contender);
  const words = limit === 1 ? `no slower than ${peer}` : `at most ${limit}× ${peer}`;
  return {
    row,
    claim: `${contender}: ${words}${orNs === undefined ? "" : ` or ${orNs} ns`}`,
    measured: `${measured.toFixed(3)}×${orNs === undefined ? "" : `, ${ns.toFixed(1)} ns`}`,
    isReached: measured <= limit || (orNs !== undefined && ns <= orNs),
  };
}

function judgeFaster({ row, contender, peer, limit }: FasterTarget, result: RowResult): Judgement {
  const measured = ratio(result, peer, contender);
  return {
    row,
    claim: `${contender}: at least ${limit}× faster than ${peer}`,
    measured: `${measured.toFixed(1)}× faster`,
    isReached: measured >= limit,
  };
}

function judgeAdds({ row, contender, peer, limitNs }: AddsTarget, result: RowResult): Judgement {
  const measured = difference(result, contender, peer);
  return {
    row,
    claim: `${contender}: at most ${limitNs} ns over ${peer}`,
    measured: `${measured.toFixed(0)} ns`,
    isReached: measured <= limitNs,
  };
}
