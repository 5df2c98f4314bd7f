import { addFlows, addPath, leaveEffectsOpen, type PathList } from "./fact-builder.js";
import type { PathFact } from "./facts.js";
import { hostOfUrl, remoteOf, reroutedHosts } from "./hosts.js";
import { type CallArguments, InnerCode, type ProgramCall } from "./inner-code.js";
import { followLinks } from "./links.js";
import { commandIn, tail } from "./options.js";
import { joinPath, resolvePath } from "./paths.js";
import type { Effect, Role } from "./program-entry.js";
import { contentOf, dataOf, isPlainDevice, isStdin } from "./redirections.js";
import { type Data, joinData, noData } from "./scope.js";
import { concatAll, flowsOf, isExact, joinWords, literal, patternOf, unknownValue, type Value } from "./value.js";

/** What the arguments of one call of a program mean: adds to its facts what their roles say. */
export class ArgumentRoles implements CallArguments {
  readonly #call: ProgramCall;
  readonly inner: InnerCode;
  readonly written: PathFact[] = [];
  #content: Data = noData;
  #readsFiles = false;

  constructor(call: ProgramCall) {
    this.#call = call;
    this.inner = new InnerCode(call, this);
  }

  get content(): Data | undefined {
    return this.#readsFiles ? this.#content : undefined;
  }

  changeDir(value: Value): void {
    const dir = resolvePath(value, this.#call.fact.dir);
    if (dir === undefined) return;
    this.#call.fact.dir = dir;
    if (dir.unknown !== undefined) this.#call.fact.unknown.dir = dir.unknown;
  }

  operands(operands: readonly Value[], roles: readonly Role[]): void {
    for (const [index, role] of roles.entries()) {
      if (role === "command") return void this.inner.command(operands.slice(index));
      if (role === "script-words") return void this.inner.script(joinWords(operands.slice(index)), []);
      if (role === "signalled") return this.#signal(operands.slice(index));
      if (role === "typed") return void this.inner.script(typedText(operands.slice(index)), []);
      const value = operands[index] as Value;
      // `vim +command`
      if (role === "edit" && this.#call.entry.language === "ex" && value.text.startsWith("+")) {
        this.inner.code(tail(value, 1));
        continue;
      }
      if (role === "script") {
        if (roles[index + 1] !== "script" && roles[index - 1] !== "script") return void this.inner.script(value, operands.slice(index + 1));
        this.inner.script(value, []);
        continue;
      }
      if (role === "run") this.inner.runFile(value, operands.slice(index + 1));
      else if (role === "package") return void this.inner.command([withoutVersion(value), ...operands.slice(index + 1)]);
      else if (role === "copy-to" || role === "mirror") this.#copyTo(value, operands, roles, role === "mirror");
      else if (role === "into") this.#into(value, operands, roles);
      else if (role === "clone") this.#clone(value, index + 1 === operands.length);
      else this.value(value, role, this.#call.sorted.effect.settings);
    }
  }

  /** Paths that an effect names itself. */
  implied({ reads = none, writes = none, deletes = none, changes = none }: Effect): void {
    if (reads === none && writes === none && deletes === none && changes === none) return;
    const home = this.#call.walker.home;
    const word = (text: string): Value => {
      const path = text === "~" ? home : text.startsWith("~/") ? joinPath(home, text.slice(2)) : text;
      return path.includes("*") ? { ...literal(path), pattern: path } : literal(path);
    };
    for (const text of reads) this.path(word(text), "reads");
    for (const text of writes) this.path(word(text), "writes");
    for (const text of deletes) this.path(word(text), "deletes");
    for (const text of changes) this.path(word(text), "changes");
  }

  value(value: Value, role: Role, settings: NonNullable<Effect["settings"]> = noSettings, operands: readonly Value[] = []): void {
    const fact = this.#call.fact;
    switch (role) {
      case "read":
      case "archive":
      case "copy":
        return this.#read(value, role === "copy");
      case "write":
        return this.#write(this.#inFolder(value));
      case "folder":
        return this.#write(value);
      case "load":
        return void this.path(value, "loads");
      case "disk":
        return this.#disk(value);
      case "edit":
        this.#read(value, false);
        return this.#write(value);
      case "delete":
      case "change":
        return void this.path(value, role === "delete" ? "deletes" : "changes");
      case "move":
        this.#read(value, false);
        return void this.path(value, "deletes", true);
      case "copy-to":
      case "mirror":
        return this.#copyTo(value, [], [], role === "mirror");
      case "into":
        return this.#into(
          value,
          operands,
          operands.map(() => "read"),
        );
      case "served":
        return this.inner.serve(value);
      case "module":
        return this.inner.command([value, ...operands]);
      case "setting":
        return this.#setting(value, settings);
      case "http-item":
        return this.#httpItem(value);
      case "mounted": {
        const [path = "", , mode] = value.text.split(":");
        return /^[./~]/.test(path)
          ? this.value({ ...value, text: path, pattern: value.pattern?.split(":")[0] }, mode === "ro" ? "read" : "edit")
          : undefined;
      }
      case "container-path":
        return /^[^/.~][^/]*:/.test(value.text) ? undefined : this.#write(value);
      case "git-object":
        return /^[^:]+:./.test(value.text) ? this.#read(tail(value, value.text.indexOf(":") + 1), false) : undefined;
      case "git-alias":
        if (value.text.startsWith("!")) return this.inner.script(tail(value, 1), []);
        return this.inner.command([literal(fact.program), ...wordsOf(value.text), ...this.#afterVerb()]);
      case "verb":
        fact.verb ||= value.text;
        if (value.unknown !== undefined) fact.unknown.verb ??= value.unknown;
        return;
      case "clone":
        return this.#clone(value, false);
      case "rerouted":
        return void fact.hosts.push(...reroutedHosts(value.text));
      case "host":
      case "url":
      case "url-file":
        return this.#host(value, role);
      case "send":
        return addFlows(fact, "sends", flowsOf(value));
      case "send-file":
        return this.#sendFile(value);
      case "send-at":
        return this.#sendAt(value);
      case "send-named": {
        const at = /^[\w.-]+(?=@)/.exec(value.text)?.[0].length ?? 0;
        return this.#sendAt(tail(value, at));
      }
      case "script":
        return this.inner.script(value, []);
      case "command":
        return this.inner.command([...wordsOf(value.text), ...this.#call.sorted.operands]);
      case "command-end":
        return void this.inner.command(commandIn(value) ?? [value]);
      case "code":
        return this.inner.code(value);
      case "run":
        return this.inner.runFile(value, operands);
      case "sql":
        return this.inner.sql(dataOf(value));
      case "sql-file": {
        const path = this.path(value, "reads");
        return path === undefined ? undefined : this.inner.sql(contentOf(value, path, this.#call.scope));
      }
      case "target":
        if (settings !== noSettings) this.#setting(value, settings);
        fact.target.push(value.text);
        if (value.unknown !== undefined) fact.unknown.target = value.unknown;
        return;
      case "unknown":
        return leaveEffectsOpen(fact, `what ${fact.program} does with ${value.text} is not known`);
      case "text":
      case "dir":
      case "script-words":
      case "package":
      case "typed":
      case "pattern":
      case "signalled":
      case "assignment":
      case "remote":
      case "refspec":
      case "ref":
      case "pathspec":
        return;
    }
  }

  path(value: Value, list: PathList, isTree = false): PathFact | undefined {
    if (this.#call.sorted.effect.isDryRun === true && list !== "reads" && list !== "loads") return undefined;
    const resolved = resolvePath(value, this.#call.fact.dir);
    const path = resolved !== undefined && isTree ? { ...resolved, tree: true as const } : resolved;
    if (path === undefined || isPlainDevice(path.path)) return path;
    addPath(this.#call.fact, list, path);
    const linked = followLinks(path, this.#call.scope, list !== "deletes" || value.text.endsWith("/"));
    if (linked !== undefined) addPath(this.#call.fact, list, linked);
    return path;
  }

  /** `curl --output-dir d -o a` writes d/a. */
  #inFolder(value: Value): Value {
    const folder = this.#call.sorted.options.findLast(({ effect }) => effect?.value === "folder")?.value;
    return folder === undefined || value.text === "-" || value.text.startsWith("/") ? value : concatAll([folder, literal("/"), value]);
  }

  #read(value: Value, canBeRemote: boolean): void {
    const host = canBeRemote ? remoteOf(value) : undefined;
    if (host !== undefined) {
      this.#call.fact.hosts.push(host);
      this.#call.fact.receives = true;
      this.#content = joinData(this.#content, { flows: [{ from: "network", host }], value: undefined });
      this.#readsFiles = true;
      return;
    }
    if (value.text === "-") return;
    const path = this.path(value, "reads");
    if (path === undefined) return;
    this.#readsFiles = true;
    const { scope, streams } = this.#call;
    this.#content = joinData(this.#content, isStdin(path.path) ? (streams.stdin ?? noData) : contentOf(value, path, scope));
  }

  #write(value: Value): void {
    if (value.text === "-") return;
    const path = this.path(value, "writes");
    if (path !== undefined) this.written.push(path);
  }

  #disk(value: Value): void {
    this.#write(value);
    const path = this.#call.sorted.effect.isDryRun === true ? undefined : resolvePath(value, this.#call.fact.dir);
    // `$X/name` is a file in a folder.
    if (path?.unknown !== undefined) {
      if (/^(?:\*\*$|\/dev\/)/.test(path.path)) this.#call.fact.unknown.destroys ??= path.unknown;
    } else if (path?.path.match(/^\/dev\/(?!shm\/)/) && !isPlainDevice(path.path)) this.#call.fact.destroys.push("disk");
  }

  /** `cp a b dir`: it writes dir, or dir/a and dir/b. */
  #into(value: Value, operands: readonly Value[], roles: readonly Role[]): void {
    this.#write(value);
    for (const [index, role] of roles.entries()) {
      if (role !== "read" && role !== "move" && role !== "copy") continue;
      const source = operands[index] as Value;
      const name = lastPart(source);
      const inside = name === undefined ? undefined : concatAll([value, literal("/"), name]);
      if (inside !== undefined) this.#write(inside);
      if (this.#call.sorted.effect.links === true) for (const link of [value, inside]) if (link !== undefined) this.#link(link, source);
    }
  }

  /** A symbolic link is followed from its own folder. */
  #link(link: Value, source: Value): void {
    const { fact, scope, sorted } = this.#call;
    const path = isExact(link) ? resolvePath(link, fact.dir) : undefined;
    if (path === undefined || path.unknown !== undefined || !isExact(source)) return;
    const isFromLink =
      sorted.options.some(({ name }) => name === "--symbolic") && !sorted.options.some(({ name }) => name === "--relative");
    const target = resolvePath(source, isFromLink ? { path: joinPath(path.path, "..") } : fact.dir);
    if (target !== undefined && target.unknown === undefined) scope.links.set(path.path, target.path);
  }

  /** `kill -9 -1`: the first word with a dash is the signal, unless `-s SIGNAL` or `--` stands before it. */
  #signal(words: readonly Value[]): void {
    const texts = words.map(({ text }) => text);
    const first = texts[0] === "-s" || texts[0] === "-n" || texts[0] === "--signal" ? 2 : texts[0]?.startsWith("-") === true ? 1 : 0;
    if (texts.slice(first).includes("-1")) this.#call.fact.destroys.push("machine");
  }

  #setting(value: Value, settings: NonNullable<Effect["settings"]>): void {
    const at = /^(?:[\w.*-]|::)+(?=[=:\s])/.exec(value.text)?.[0].length;
    if (at === undefined) return;
    const name = value.text.slice(0, at).toLowerCase();
    const named = Object.entries(settings).map(([names, role]) => [names.split(" "), role] as const);
    const found =
      named.find(([names]) => names.includes(name)) ??
      named.find(([names]) => names.some((one) => one.endsWith("*") && name.startsWith(one.slice(0, -1))));
    if (found !== undefined) this.value(tail(value, at + 1), found[1]);
  }

  /** The words after the subcommand, which an alias may name. */
  #afterVerb(): readonly Value[] {
    const { args } = this.#call.fact;
    const at = args.findIndex(({ text }) => text === this.#call.sorted.verb);
    return at < 0
      ? []
      : args.slice(at + 1).map(({ text, unknown }) => (unknown === undefined ? literal(text) : unknownValue(text, unknown)));
  }

  #httpItem(value: Value): void {
    const { text } = value;
    if (/^[A-Z]+$/.test(text)) return this.value(value, "verb");
    const at = /^[^:=@/]*(?::?=@|:=|==|=|@|:(?=[^/\d]))/.exec(text);
    if (at === null || this.#call.fact.hosts.length === 0) return this.#host(text.startsWith(":") ? literal("localhost") : value, "url");
    this.value(tail(value, at[0].length), at[0].endsWith("@") ? "send-file" : "send");
  }

  #copyTo(value: Value, operands: readonly Value[], roles: readonly Role[], isMirror: boolean): void {
    const host = remoteOf(value);
    if (host === undefined && isMirror) this.path(value, "deletes");
    if (host === undefined) return this.#into(value, operands, roles);
    this.#call.fact.hosts.push(host);
    for (const [index, role] of roles.entries()) {
      const source = operands[index] as Value;
      const path = role === "copy" && remoteOf(source) === undefined ? resolvePath(source, this.#call.fact.dir) : undefined;
      if (path !== undefined && this.#call.sorted.effect.isDryRun !== true)
        addFlows(this.#call.fact, "sends", contentOf(source, path, this.#call.scope).flows);
    }
  }

  #host(value: Value, role: "host" | "url" | "url-file"): void {
    if (/^file:\/\/\//i.test(value.text)) return this.#read(tail(value, "file://".length), false);
    const host = hostOfUrl(value);
    if (host === undefined) this.#call.fact.unknown.hosts ??= value.unknown ?? `the host in ${value.text} is not known`;
    else this.#call.fact.hosts.push(host);
    // `https://host/?x=$(cat file)` carries what the command prints.
    const carried = value.flows?.filter(({ from }) => from !== "literal" && from !== "unknown") ?? [];
    addFlows(this.#call.fact, "sends", carried);
    if (role !== "url-file") return;
    const name = /^[^?#]*\/([^/?#]+)(?:[?#].*)?$/.exec(value.text.replace(/^\w+:\/\/[^/]*/, ""))?.[1];
    this.#write(this.#inFolder(isExact(value) ? literal(name ?? "index.html") : { ...literal(name ?? "*"), pattern: "*" }));
  }

  #clone(value: Value, isAlone: boolean): void {
    if (/^[./~]/.test(value.text)) this.#read(value, false);
    else this.#host(value, "url");
    if (!isAlone) return;
    const name = /([^/:]+?)(?:\.git)?\/*$/.exec(value.text)?.[1];
    this.#write(isExact(value) && name !== undefined ? literal(name) : { ...literal("*"), pattern: "*" });
  }

  #sendFile(value: Value): void {
    if (this.#call.sorted.effect.isDryRun === true) return void this.path(value, "reads");
    if (value.text === "-") {
      if (this.#call.streams.stdin !== undefined) addFlows(this.#call.fact, "sends", this.#call.streams.stdin.flows);
      return;
    }
    const path = this.path(value, "reads");
    if (path === undefined) return;
    addFlows(this.#call.fact, "sends", contentOf(value, path, this.#call.scope).flows);
    if (path.unknown !== undefined) this.#call.fact.unknown.sends ??= path.unknown;
  }

  /** `@file`, `name=@file`, `name=<file`, or text. */
  #sendAt(value: Value): void {
    const at = /^(?:[\w.[\]-]*=)?[@<]/.exec(value.text);
    if (at === null) return addFlows(this.#call.fact, "sends", flowsOf(value));
    const text = value.text.slice(at[0].length).replace(/;(?:type|filename)=.*$/, "");
    const pattern = value.pattern === undefined ? undefined : patternOf(value).slice(at[0].length);
    this.#sendFile({ ...value, text, pattern });
  }
}

const none: readonly string[] = [];
const noSettings: NonNullable<Effect["settings"]> = {};

function wordsOf(text: string): readonly Value[] {
  return text.split(/\s+/).filter(Boolean).map(literal);
}

/** What tmux types: the words together, with `Enter` as the end of a line. */
function typedText(words: readonly Value[]): Value {
  return concatAll(
    words.map((word) => (/^(?:Enter|C-m|C-j|KPEnter)$/.test(word.text) ? literal("\n") : word.text === "Space" ? literal(" ") : word)),
  );
}

/** The name that a file keeps when it is copied into a folder. `dir/` copies what is in dir, and its names are not known. */
function lastPart(value: Value): Value | undefined {
  const { text, pattern } = value;
  const name = text.slice(text.search(/[^/:]*$/));
  if (pattern === undefined) return /^\.{0,2}$/.test(name) ? undefined : literal(name);
  const part = pattern.slice(pattern.lastIndexOf("/") + 1);
  return part === "" || part.includes("**") ? undefined : { ...value, text: name, pattern: part };
}

/** `@scope/name@1.2` is the command `name`. */
function withoutVersion(value: Value): Value {
  if (!isExact(value)) return value;
  return literal(/^(?:@[^/@]+\/)?([^@/:]+)(?:@[^/]*)?$/.exec(value.text)?.[1] ?? value.text);
}
