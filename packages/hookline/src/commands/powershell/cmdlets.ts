/** What a parameter's value, or a word without one, means to a cmdlet. */
type Meaning = "path" | "to" | "text" | "uri" | "body" | "program" | "args" | "ignored";

/** One cmdlet: how its words are read, and what it does. */
export interface Cmdlet {
  readonly does:
    | "remove"
    | "copy"
    | "move"
    | "create"
    | "write"
    | "read"
    | "fetch"
    | "evaluate"
    | "start"
    | "list"
    | "narrow"
    | "print"
    | "blocks"
    | "stop-process"
    | "schedule"
    | "wipe-disk"
    | "policy"
    /** It gives a command another name. */
    | "rename"
    | "item"
    | "nothing"
    /** Another program does the same: its name and options. */
    | readonly string[];
  readonly values?: { readonly [parameter: string]: Meaning };
  readonly operands?: readonly Meaning[];
}

const paths = { path: "path", literalpath: "path", pspath: "path", lp: "path" } as const;
const narrowing = { filter: "text", include: "text", exclude: "ignored" } as const;

const table: { readonly [names: string]: Cmdlet } = {
  "remove-item ri del erase rd rmdir rm": { does: "remove", values: { ...paths, ...narrowing, stream: "ignored" }, operands: ["path"] },
  "clear-content clc clear-item cli": { does: ["truncate", "-s", "0", "--"], values: { ...paths, ...narrowing }, operands: ["path"] },
  "copy-item cp copy cpi": { does: "copy", values: { ...paths, ...narrowing, destination: "to" }, operands: ["path", "to"] },
  "move-item mv move mi": { does: "move", values: { ...paths, ...narrowing, destination: "to" }, operands: ["path", "to"] },
  "rename-item ren rni": { does: "move", values: { ...paths, newname: "to" }, operands: ["path", "to"] },
  "new-item ni": {
    does: "create",
    values: { ...paths, name: "path", itemtype: "text", type: "text", value: "to", target: "to" },
    operands: ["path"],
  },
  "md mkdir": { does: ["mkdir", "-p", "--"], values: { ...paths, name: "path" }, operands: ["path"] },
  "set-content sc add-content ac out-file tee-object": {
    does: "write",
    values: {
      ...paths,
      filepath: "path",
      value: "body",
      encoding: "ignored",
      variable: "ignored",
      width: "ignored",
      inputobject: "ignored",
    },
    operands: ["path", "body"],
  },
  "export-csv export-clixml compress-archive expand-archive": {
    does: "write",
    values: { ...paths, destinationpath: "path", delimiter: "ignored", encoding: "ignored", depth: "ignored" },
    operands: ["path"],
  },
  "get-content gc cat type import-csv import-clixml select-string sls": {
    does: "read",
    values: {
      ...paths,
      totalcount: "ignored",
      head: "ignored",
      tail: "ignored",
      first: "ignored",
      encoding: "ignored",
      delimiter: "ignored",
      pattern: "ignored",
      context: "ignored",
    },
    operands: ["path"],
  },
  "invoke-webrequest iwr invoke-restmethod irm start-bitstransfer": {
    does: "fetch",
    values: {
      uri: "uri",
      source: "uri",
      outfile: "to",
      destination: "to",
      infile: "path",
      body: "body",
      method: "text",
      headers: "ignored",
      contenttype: "ignored",
      useragent: "ignored",
      websession: "ignored",
      sessionvariable: "ignored",
      credential: "ignored",
      proxy: "uri",
      timeoutsec: "ignored",
      maximumredirection: "ignored",
      form: "body",
    },
    operands: ["uri", "to"],
  },
  "invoke-expression iex": { does: "evaluate", values: { command: "text" }, operands: ["text"] },
  "start-process saps start": {
    does: "start",
    values: {
      filepath: "program",
      argumentlist: "args",
      args: "args",
      verb: "text",
      workingdirectory: "ignored",
      windowstyle: "ignored",
      credential: "ignored",
      redirectstandardoutput: "to",
      redirectstandarderror: "to",
      redirectstandardinput: "ignored",
    },
    operands: ["program", "args"],
  },
  "get-childitem gci ls dir": {
    does: "list",
    values: { ...paths, ...narrowing, depth: "ignored", attributes: "ignored" },
    operands: ["path", "text"],
  },
  "get-item gi resolve-path rvpa": { does: "item", values: { ...paths, ...narrowing }, operands: ["path"] },
  "where-object where ? select-object select sort-object sort group-object group get-unique": { does: "narrow" },
  "write-output echo write": { does: "print", values: { inputobject: "text" }, operands: ["text"] },
  "foreach-object foreach % invoke-command icm measure-command start-job start-threadjob": {
    does: "blocks",
    values: {
      scriptblock: "text",
      process: "text",
      begin: "text",
      end: "text",
      initializationscript: "text",
      argumentlist: "ignored",
      name: "ignored",
    },
  },
  "set-location sl cd chdir": { does: ["cd"], values: paths, operands: ["path"] },
  "push-location pushd": { does: ["pushd"], values: paths, operands: ["path"] },
  "pop-location popd": { does: ["popd"] },
  "stop-process spps kill": { does: "stop-process", values: { id: "text", name: "text" }, operands: ["text"] },
  "stop-computer restart-computer": {
    does: ["shutdown", "now"],
    values: { computername: "ignored", delay: "ignored", timeout: "ignored" },
  },
  "format-volume clear-disk initialize-disk remove-partition clear-recyclebin reset-physicaldisk": { does: "wipe-disk" },
  "register-scheduledtask set-scheduledtask register-scheduledjob": { does: "schedule" },
  "new-service set-service": { does: ["systemctl", "enable", "service"] },
  "set-alias sal new-alias nal import-alias ipal": { does: "rename" },
  "set-executionpolicy": { does: "policy", values: { executionpolicy: "text", scope: "to" }, operands: ["text", "to"] },
  "new-object new-scheduledtaskaction new-scheduledtasktrigger new-timespan new-guid new-temporaryfile new-variable set-variable set-strictmode set-psdebug":
    {
      does: "nothing",
    },
  "invoke-pester invoke-build invoke-scriptanalyzer import-module remove-module remove-variable start-sleep sleep clear-host clear-variable cls add-type add-member update-typedata":
    {
      does: "nothing",
    },
};

const cmdlets = new Map(Object.entries(table).flatMap(([names, cmdlet]) => names.split(" ").map((name) => [name, cmdlet] as const)));

/** Verbs of cmdlets that by the rules of PowerShell change nothing. */
const READING =
  /^(?:get|select|sort|measure|format|compare|group|test|convertto|convertfrom|convert|write|read|out|show|find|wait|trace|debug|join|split|limit|enter|exit|receive|assert|search|ping|tee)-[a-z]+$/;
const NOUNED = /^[a-z]+-[a-z]+$/;

/** Programs of Windows PowerShell's aliases that exist under this name too: their own options say which is meant. */
const PARAMETER = /^-[A-Z][A-Za-z]{2,}/;

/** What the name of a command stands for. `undefined`: another program. `unknown`: a cmdlet that is not in the table. */
export function findCmdlet(written: string, args: readonly { readonly text: string }[]): Cmdlet | "unknown" | undefined {
  const name = written.toLowerCase();
  const known = cmdlets.get(name);
  if (known !== undefined) return known;
  if ((name === "curl" || name === "wget") && args.some(({ text }) => PARAMETER.test(text))) return cmdlets.get("iwr");
  if (READING.test(name)) return { does: "nothing" };
  return NOUNED.test(name) && /^[A-Z][a-z]+-[A-Z]/.test(written) ? "unknown" : undefined;
}

/** Parameters that every cmdlet has and that take a value. */
const COMMON =
  /^-(?:ea|erroraction|wa|warningaction|ev|errorvariable|ov|outvariable|ob|outbuffer|pv|pipelinevariable|informationaction|infa)$/i;

/** The words of a cmdlet by what they mean. */
export interface Sorted<T> {
  readonly values: { readonly [meaning in Meaning]?: readonly T[] };
  /** Parameters without a value, in lower case and without the sign. */
  readonly switches: readonly string[];
}

/** A parameter may be cut short, and a word that no parameter takes is an operand. Whatever is not known is an operand rather than nothing. */
export function sortParameters<T extends { readonly text: string; readonly isQuoted: boolean }>(
  { values = {}, operands = [] }: Cmdlet,
  args: readonly T[],
  valueAfterColon: (arg: T, at: number) => T,
): Sorted<T> {
  const found: { [meaning in Meaning]?: T[] } = {};
  const switches: string[] = [];
  const add = (meaning: Meaning, value: T): void => {
    const list = found[meaning];
    if (list === undefined) found[meaning] = [value];
    else list.push(value);
  };
  let operand = 0;
  let pending: Meaning | undefined;
  for (const arg of args) {
    const isParameter = !arg.isQuoted && /^-[A-Za-z]/.test(arg.text);
    if (!isParameter) {
      if (pending === undefined) add(operands[Math.min(operand++, operands.length - 1)] ?? "ignored", arg);
      else add(pending, arg);
      pending = pending === "args" ? "args" : undefined;
      continue;
    }
    const colon = arg.text.indexOf(":");
    const name = arg.text.slice(1, colon < 0 ? undefined : colon).toLowerCase();
    const full = Object.keys(values).find((one) => one === name) ?? Object.keys(values).find((one) => one.startsWith(name));
    const meaning = COMMON.test(`-${name}`) ? "ignored" : full === undefined || isSwitch(name) ? undefined : values[full];
    if (pending === "args" && meaning === undefined) {
      add("args", arg);
      continue;
    }
    pending = undefined;
    if (meaning === undefined) switches.push(name);
    else if (colon >= 0) add(meaning, valueAfterColon(arg, colon + 1));
    else pending = meaning;
  }
  return { values: found, switches };
}

/** `-f`, `-r` and what they begin: they also begin names of values. */
function isSwitch(name: string): boolean {
  return (
    name === "f" ||
    name === "r" ||
    name === "rf" ||
    name === "fr" ||
    ("recurse".startsWith(name) && name.length > 1) ||
    ("force".startsWith(name) && name.length > 1)
  );
}
