import type { Approval } from "../../state/approvals.js";
import { inert } from "../../text/inert.js";

export interface ShownApprovals {
  readonly shown: readonly Approval[];
  /** How many more calls each agent has, the most first. */
  readonly left: readonly { readonly app: string; readonly count: number }[];
}

const FIRST = { ofOne: 10, inAll: 50 };
const MORE = 50;

/** The oldest calls of each agent, in turns, so an agent that asks a thousand times hides no other. What `isWanted` is shown in any case. */
export function chooseShown(all: readonly Approval[], steps: number, isWanted: (approval: Approval) => boolean): ShownApprovals {
  const most = { ofOne: FIRST.ofOne + steps * MORE, inAll: FIRST.inAll + steps * MORE };
  const ofOne = ranks(all, whoOf);
  const few = all.filter((approval) => isWanted(approval) || (ofOne.get(approval) ?? 0) < most.ofOne);
  const ofApp = ranks(few, appOf);
  const inTurn = (approval: Approval) => (isWanted(approval) ? -1 : (ofApp.get(approval) ?? 0));
  const chosen = new Set(few.toSorted((a, b) => inTurn(a) - inTurn(b)).slice(0, most.inAll));
  const left = new Map<string, number>();
  for (const approval of all) if (!chosen.has(approval)) left.set(appOf(approval), (left.get(appOf(approval)) ?? 0) + 1);
  return {
    shown: all.filter((approval) => chosen.has(approval)),
    left: [...left].map(([app, count]) => ({ app, count })).sort((a, b) => b.count - a.count),
  };
}

/** How many of the same come before each. */
function ranks(all: readonly Approval[], keyOf: (approval: Approval) => string): ReadonlyMap<Approval, number> {
  const counts = new Map<string, number>();
  return new Map(
    all.map((approval) => {
      const count = counts.get(keyOf(approval)) ?? 0;
      counts.set(keyOf(approval), count + 1);
      return [approval, count];
    }),
  );
}

function whoOf({ source, session }: Approval): string {
  return `${source?.app} ${source?.instance} ${source?.pid === 0 ? session?.id : ""}`;
}

function appOf({ source }: Approval): string {
  return inert(source?.app ?? "an agent").slice(0, 60);
}
