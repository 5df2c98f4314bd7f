import type { Flow } from "./facts.js";
import type { ProgramCall } from "./inner-code.js";
import { printedText } from "./printed-text.js";
import { dataOf } from "./redirections.js";
import { type Data, noData, unknownData } from "./scope.js";
import { concatAll, literal, type Value } from "./value.js";

/** What one call of a program prints, and writes into the files that it writes, is made of. */
export class ProgramOutput {
  readonly #call: ProgramCall;
  readonly #data: Data;

  /** `content`: what the files hold that it reads. Undefined if it reads none. */
  constructor(call: ProgramCall, content: Data | undefined) {
    this.#call = call;
    const { hosts, receives } = call.fact;
    this.#data = content ?? (receives ? networkData(hosts) : (call.streams.stdin ?? noData));
  }

  written(): Data {
    return this.#call.sorted.effect.prints === "decoded" ? decoded(this.#data) : this.#data;
  }

  printed(args: readonly Value[]): Data {
    const { fact, streams, sorted } = this.#call;
    const { operands, options, effect } = sorted;
    const computed = printedText(fact.program, { args, operands, options, dir: fact.dir, input: this.#data });
    if (computed !== undefined) return computed;
    switch (effect.prints) {
      case "nothing":
        return noData;
      case "stdin":
        return filtered(streams.stdin ?? noData, fact.program);
      case "files":
        return filtered(this.#data, fact.program);
      case "args":
        return dataOf(concatAll(operands.flatMap((word, at) => (at > 0 ? [literal(" "), word] : [word]))));
      case "network":
        return networkData(fact.hosts);
      case "decoded":
        return decoded(this.#data);
      case "secret":
        return { flows: [{ from: "secret" }], value: undefined };
      case "names":
        return namesData([{ ...literal("./**"), pattern: "./**" }]);
      default:
        return unknownData(`the output of ${fact.program} is not known`);
    }
  }
}

/** Names of files: `names` are patterns for them. */
export function namesData(names: readonly Value[]): Data {
  return { flows: [{ from: "unknown", why: "the names of files are not known" }], value: undefined, names };
}

export function networkData(hosts: readonly string[]): Data {
  const flows: readonly Flow[] = hosts.length === 0 ? [{ from: "network" }] : hosts.map((host) => ({ from: "network", host }));
  return { flows, value: undefined };
}

/** The text is no longer known; names stay, because a pattern covers a part of what it matches too. */
function filtered({ flows, names }: Data, program: string): Data {
  const why = `the output of ${program} is not computed`;
  const origins = flows.map((flow): Flow => (flow.from === "literal" ? { from: "unknown", why } : withoutText(flow)));
  return { flows: origins, value: undefined, ...(names !== undefined && { names }) };
}

function withoutText({ text: _text, ...flow }: Flow): Flow {
  return flow;
}

function decoded({ flows }: Data): Data {
  const received = flows.filter(({ from }) => from === "network");
  return { flows: [{ from: "decoded" }, ...received], value: undefined };
}
