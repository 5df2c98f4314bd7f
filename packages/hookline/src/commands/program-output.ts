import type { Flow } from "./facts.js";
import type { ProgramCall } from "./inner-code.js";
import { printedText } from "./printed-text.js";
import { dataOf } from "./redirections.js";
import { type Data, noData, unknownData } from "./scope.js";
import { isExact, joinWords, literal, someName, type Value } from "./value.js";

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
    const data = this.#printed(args);
    const { fact, streams } = this.#call;
    const { value } = data;
    if (value !== undefined && (isExact(value) || value.text !== "*")) return data;
    const own = [fact.program, ...fact.args.map(({ text }) => text)].join(" ");
    const before = streams.stdin?.printedBy;
    const printedBy = before === undefined ? own : `${before} | ${own}`;
    // A rule about the words of `kill` sees whose number it is.
    return { ...data, printedBy, value: value === undefined ? undefined : { ...value, text: `$(${printedBy})` } };
  }

  #printed(args: readonly Value[]): Data {
    const { fact, streams, sorted, walker } = this.#call;
    const { operands, options, effect } = sorted;
    const nextTemporary = () => walker.nextTemporary();
    const computed = printedText(fact.program, { args, operands, options, dir: fact.dir, input: this.#data, nextTemporary });
    if (computed !== undefined) return computed;
    switch (effect.prints) {
      case "nothing":
        return noData;
      case "stdin":
        return filtered(streams.stdin ?? noData, fact.program);
      case "files":
        return changesPaths(fact.program, args)
          ? filtered({ flows: this.#data.flows, value: undefined }, fact.program)
          : filtered(this.#data, fact.program);
      case "args":
        return dataOf(joinWords(operands));
      case "network":
        return networkData(fact.hosts);
      case "decoded":
        return decoded(this.#data);
      case "secret":
        return { flows: [{ from: "secret" }], value: undefined };
      case "names":
        return namesData([inFolder(operands.length === 0 && options.length === 0 ? "./**" : SOME_FILES)]);
      case "name":
        return { flows: [{ from: "literal" }], value: someName("*") };
      case "setup":
        return { ...unknownData(`the output of ${fact.program} is not known`), isSetup: true };
      default:
        return unknownData(`the output of ${fact.program} is not known`);
    }
  }
}

/** Files of some names, anywhere below the folder. The sign in the middle says that it is not the whole folder. */
const SOME_FILES = "./**?*";

function inFolder(pattern: string): Value {
  return { ...literal(pattern), pattern };
}

/** Names of files: `names` are patterns for them. */
export function namesData(names: readonly Value[]): Data {
  return { flows: [{ from: "unknown", why: "the names of files are not known" }], value: undefined, names };
}

export function networkData(hosts: readonly string[]): Data {
  const flows: readonly Flow[] = hosts.length === 0 ? [{ from: "network" }] : hosts.map((host) => ({ from: "network", host }));
  return { flows, value: undefined };
}

/** `sed 's|^|/|'`: other folders than those of the names that it reads. */
function changesPaths(program: string, args: readonly Value[]): boolean {
  return (
    program === "sed" &&
    args.some(({ text }) => /(?:^|[;\s\d])s(?<end>[^\w\s])(?:(?!\k<end>).)*\k<end>(?:(?!\k<end>).)*(?:\/|~|\.\.)/.test(text))
  );
}

/** The text is no longer known; names stay, because a pattern covers a part of what it matches too, but it is no longer everything in a folder. */
function filtered(data: Data, program: string): Data {
  const { flows, names, value } = data;
  if (value?.pattern === "*") return data;
  const why = `the output of ${program} is not computed`;
  const origins = flows.map((flow): Flow => (flow.from === "literal" ? { from: "unknown", why } : withoutText(flow)));
  return { flows: origins, value: undefined, ...(names !== undefined && { names: names.map(someOf) }) };
}

function someOf(name: Value): Value {
  const { pattern } = name;
  return pattern === undefined || !/(?:^|\/)\*\*?$/.test(pattern) ? name : { ...name, text: `${name.text}?*`, pattern: `${pattern}?*` };
}

function withoutText({ text: _text, ...flow }: Flow): Flow {
  return flow;
}

function decoded({ flows }: Data): Data {
  const received = flows.filter(({ from }) => from === "network");
  return { flows: [{ from: "decoded" }, ...received], value: undefined };
}
