import { addFlows, argOf, createFact } from "../fact-builder.js";
import { resolvePath } from "../paths.js";
import { contentOf } from "../redirections.js";
import { type Data, fork, noData, type Scope, type Streams, unknownData, type Walker } from "../scope.js";
import { flowsOf, isExact, joinWords, literal, type Value } from "../value.js";
import { runPowerShell } from "./run-powershell.js";

export function isPowerShellProgram(program: string): boolean {
  return /^(?:powershell|pwsh|pwsh-preview|powershell_ise)$/i.test(program);
}

/** Options of the program that take a value. `-command` and the other two that run something are not among them. */
const WITH_VALUE = [
  "executionpolicy",
  "ep",
  "ex",
  "windowstyle",
  "inputformat",
  "if",
  "outputformat",
  "of",
  "workingdirectory",
  "wd",
  "version",
  "configurationname",
  "configurationfile",
  "custompipename",
  "settingsfile",
  "psconsolefile",
];
const WITHOUT_VALUE = ["noprofile", "nop", "noninteractive", "nologo", "noexit", "sta", "mta", "login", "interactive", "noprofileloadtime"];

/** What `pwsh` and `powershell` run: `-Command text`, `-EncodedCommand base64`, `-File path`, or their input. */
export function runPowerShellProgram(program: string, args: readonly Value[], scope: Scope, streams: Streams, walker: Walker): Data {
  const fact = createFact(program, scope, streams);
  fact.args = args.map(argOf);
  walker.facts.push(fact);
  const inner = fork(scope, { via: [...scope.via, program] });
  const unknown = (why: string): Data => {
    addFlows(fact, "runs", [{ from: "unknown", why }]);
    walker.addUnknown(why, inner, streams);
    return unknownData(why);
  };
  const run = (text: Value): Data => {
    addFlows(fact, "runs", flowsOf(text));
    if (!isExact(text)) return unknown(text.unknown ?? `the text ${text.text} is a pattern`);
    return runPowerShell(text.text, inner, { ...streams, stdin: undefined }, walker);
  };
  for (let at = 0; at < args.length; at++) {
    const { text } = args[at] as Value;
    if (!isExact(args[at] as Value)) return unknown("the options of PowerShell are not known");
    if (!/^[-/]/.test(text) || text === "-")
      return /\.ps1$/i.test(text) ? file(args[at] as Value) : text === "-" ? input() : run(joinWords(args.slice(at)));
    const name = text.replace(/^(?:--?|\/)/, "").toLowerCase();
    if (name !== "" && ("command".startsWith(name) || name === "commandwithargs" || name === "cwa")) {
      const rest = args.slice(at + 1);
      return rest[0]?.text === "-" ? input() : run(joinWords(rest));
    }
    if (/^(?:ec|en?|enc[a-z]*)$/.test(name) && "encodedcommand".startsWith(name === "ec" ? "e" : name)) return encoded(args[at + 1]);
    if (name !== "" && "file".startsWith(name)) return args[at + 1]?.text === "-" ? input() : file(args[at + 1]);
    if (/^(?:help|h|\?|v|version)$/.test(name)) return noData;
    if (WITH_VALUE.some((one) => one.startsWith(name))) at++;
    else if (!WITHOUT_VALUE.some((one) => one.startsWith(name))) return unknown(`the option ${text} of ${program} is not known`);
  }
  return input();

  function input(): Data {
    const { stdin } = streams;
    if (stdin === undefined) return noData;
    addFlows(fact, "runs", stdin.flows);
    if (stdin.value !== undefined && isExact(stdin.value)) return run(stdin.value);
    const why = stdin.flows.find(({ from }) => from === "unknown")?.why;
    return why === undefined ? noData : unknown(why);
  }

  function encoded(given: Value | undefined): Data {
    if (given === undefined) return noData;
    if (!isExact(given)) return unknown(given.unknown ?? "the encoded text is not known");
    const text = Buffer.from(given.text, "base64").toString("utf16le");
    return run({ ...literal(text), flows: [{ from: "decoded", text }] });
  }

  function file(given: Value | undefined): Data {
    const path = given === undefined ? undefined : resolvePath(given, scope.dir);
    if (given === undefined || path === undefined) return noData;
    fact.reads.push(path);
    const content = contentOf(given, path, scope);
    addFlows(fact, "runs", content.flows);
    return content.value !== undefined && isExact(content.value) ? runPowerShell(content.value.text, inner, streams, walker) : noData;
  }
}
