import type { PathFact } from "./facts.js";
import { followLinks } from "./links.js";
import type { Redirection, Word } from "./parse.js";
import { resolvePath } from "./paths.js";
import { type Data, joinData, type Scope, type Streams, unknownData } from "./scope.js";
import { flowsOf, isExact, literal, type Value } from "./value.js";
import { expandParts, expandToOne, type Shell } from "./words.js";

interface Redirected {
  readonly streams: Streams;
  /** The output is added to its file. */
  readonly append: boolean;
}

/** Files that keep nothing and hold nothing. */
export function isPlainDevice(path: string): boolean {
  return path.startsWith("/dev/") && /^\/dev\/(?:null|zero|full|tty|stdin|stdout|stderr|fd\/\d+|u?random)$/.test(path);
}

/** The standard input under a name. */
export function isStdin(path: string): boolean {
  return path === "/dev/stdin" || path === "/dev/fd/0" || path === "/proc/self/fd/0";
}

/** What a command is connected to after its redirections. */
export function readRedirections(redirections: readonly Redirection[], scope: Scope, streams: Streams, shell: Shell): Redirected {
  const reads = [...streams.reads];
  const writes = [...streams.writes];
  const hosts = [...streams.hosts];
  let { descriptors } = streams;
  let stdin = streams.stdin;
  let output: PathFact | undefined;
  let append = false;
  const connect = (descriptor: number | "some" | undefined, data: Data): void => {
    if (descriptor === undefined || descriptor === 0) stdin = data;
    // The shell chooses a number: `exec {name}< file`.
    else descriptors = new Map(descriptors).set(descriptor === "some" ? 10 + descriptors.size : descriptor, data);
  };
  for (const one of redirections) {
    const descriptor = one.descriptor === undefined ? undefined : one.descriptor.type === "FileDescriptor" ? one.descriptor.value : "some";
    if (one.type === "HereDoc") {
      const { body, delimiter } = one;
      const value = delimiter?.quoted === true || body.parts === undefined ? literal(body.text) : expandParts(body.parts, shell);
      connect(descriptor, dataOf(value));
      continue;
    }
    if (one.target === undefined) continue;
    const value = expandToOne(one.target, shell);
    if (one.type === "HereString") {
      connect(
        descriptor,
        dataOf({ ...value, text: `${value.text}\n`, ...(value.pattern !== undefined && { pattern: `${value.pattern}\n` }) }),
      );
      continue;
    }
    if ((one.operator === ">&" || one.operator === "<&") && isDescriptor(one.target, value)) {
      const data = one.operator === "<&" || descriptor === 0 ? readFrom(value, descriptors) : undefined;
      if (data !== undefined) connect(descriptor, data);
      // `0>&1`: the input is what the output was connected to, which counts if that is a host.
      else if ((descriptor === 0 || one.operator === "<&") && hosts.length > 0) connect(descriptor, networkData(hosts));
      continue;
    }
    const host = /^\/dev\/(?:tcp|udp)\/([^/]+)\//.exec(value.text)?.[1];
    if (host !== undefined) {
      hosts.push(host);
      if (one.operator.startsWith("<")) connect(descriptor, networkData(hosts));
      continue;
    }
    const path = resolvePath(value, scope.dir);
    if (path === undefined) continue;
    const linked = followLinks(path, scope, true);
    if (one.operator.startsWith("<") && one.operator !== "<&") {
      if (!isPlainDevice(path.path)) reads.push(path, ...(linked === undefined ? [] : [linked]));
      connect(descriptor, contentOf(value, path, scope, descriptors));
    }
    if (one.operator === "<" || one.operator === "<&") continue;
    if (!isPlainDevice(path.path)) writes.push(path, ...(linked === undefined ? [] : [linked]));
    if (descriptor === undefined || descriptor === 1) {
      output = path;
      append = one.operator.endsWith(">>");
    }
  }
  return { streams: { stdin, reads, writes, hosts, isRead: streams.isRead || output !== undefined, output, descriptors }, append };
}

/** Of more open descriptors, it is not looked at what each gives. */
const MAX_DESCRIPTORS = 16;

/** What a descriptor gives. If its number is not known, it may be any of them. */
function readFrom(value: Value, descriptors: ReadonlyMap<number, Data>): Data | undefined {
  if (isExact(value)) return descriptors.get(Number.parseInt(value.text, 10));
  if (descriptors.size > MAX_DESCRIPTORS) return unknownData("which descriptor is read is not known");
  return descriptors.size === 0 ? undefined : [...descriptors.values()].reduce(joinData);
}

/** What a file holds, as far as the text says it. */
export function contentOf(
  value: Value,
  path: PathFact,
  scope: Scope,
  descriptors: ReadonlyMap<number, Data> | undefined = scope.opened?.descriptors,
): Data {
  if (value.flows !== undefined && value.unknown === undefined && value.text.startsWith("/dev/fd/")) {
    const [flow, ...others] = value.flows;
    return {
      flows: value.flows,
      value: flow?.text !== undefined && others.length === 0 ? { ...literal(flow.text), flows: [flow] } : undefined,
    };
  }
  const descriptor = /^\/(?:dev|proc\/self)\/fd\/(\d+)$/.exec(path.path)?.[1];
  const opened = descriptor === undefined ? undefined : descriptors?.get(Number(descriptor));
  if (opened !== undefined) return opened;
  const written = writtenAt(path.path, scope);
  if (written !== undefined) return written;
  if (isPlainDevice(path.path)) return { flows: [], value: undefined };
  return { flows: [{ from: "file", path }], value: undefined };
}

/** What the same text has written to a path, or unpacked or cloned around it. */
export function writtenAt(path: string, { files, folders }: Scope): Data | undefined {
  const written = files.get(path);
  if (written !== undefined || folders.size === 0) return written;
  for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1)) {
    const data = folders.get(path.slice(0, end));
    if (data !== undefined) return data;
  }
  return undefined;
}

export function dataOf(value: Value): Data {
  return { flows: flowsOf(value), value: value.unknown === undefined ? value : undefined };
}

function networkData(hosts: readonly string[]): Data {
  return { flows: hosts.map((host) => ({ from: "network" as const, host })), value: undefined };
}

function isDescriptor({ text }: Word, value: Value): boolean {
  return isExact(value) ? /^(?:\d+-?|-)$/.test(value.text) : text.startsWith("$");
}
