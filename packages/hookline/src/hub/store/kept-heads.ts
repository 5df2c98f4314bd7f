import type { ChainHead, ChainProblem, KeptHead } from "../protocol.js";

interface KeptAgainst {
  readonly kept: readonly KeptHead[];
  readonly head: ChainHead;
  /** The number of the first entry that is left. */
  readonly first: number;
  /** The links that the chain has at the numbers of the kept heads. */
  readonly links: ReadonlyMap<number, string | undefined>;
}

/** What only a head that was kept elsewhere can show: a tail that was cut off, a chain that was computed anew, another store. */
export function findMissingHeads({ kept, head, first, links }: KeptAgainst): ChainProblem[] {
  return kept.flatMap((known): ChainProblem[] => {
    const { n, hash, chain, from, at } = known;
    const where = { n, ...(at !== undefined && { at }) };
    const said = `${from} says that entry ${n} has the link ${hash.slice(0, 12)}…${at === undefined ? "" : ` (${at})`}`;
    if (chain !== undefined && chain !== head.chain)
      return [{ kind: "replaced", ...where, message: `${said}, in another chain: the store was replaced, or its chain was begun anew.` }];
    if (n > head.n)
      return [{ kind: "cut off", ...where, message: `${said}, but the chain ends with entry ${head.n}: its end was cut off.` }];
    const link = links.get(n);
    // Retention has removed it, which the chain itself says; or it is missing in the middle, which was found there.
    if (n < first || link === undefined || link === hash) return [];
    return [
      { kind: "edited", ...where, message: `${said}, but it has another one: an earlier entry was edited and the chain computed anew.` },
    ];
  });
}
