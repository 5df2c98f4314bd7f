import type { PathFact } from "./facts.js";
import type { Redirection, Word } from "./parse.js";
import { resolvePath } from "./paths.js";
import type { Data, Scope, Streams } from "./scope.js";
import { flowsOf, isExact, literal, type Value } from "./value.js";
import { expandParts, expandToOne, type Shell } from "./words.js";

interface Redirected {
  readonly streams: Streams;
  /** The file that gets the standard output. */
  readonly output: PathFact | undefined;
  readonly append: boolean;
}

/** Files that keep nothing and hold nothing. */
export function isPlainDevice(path: string): boolean {
  return path.startsWith("/dev/") && /^\/dev\/(?:null|zero|full|tty|stdin|stdout|stderr|fd\/\d+|u?random)$/.test(path);
}

/** What a command is connected to after its redirections. */
export function readRedirections(redirections: readonly Redirection[], scope: Scope, streams: Streams, shell: Shell): Redirected {
  const reads = [...streams.reads];
  const writes = [...streams.writes];
  const hosts = [...streams.hosts];
  let stdin = streams.stdin;
  let output: PathFact | undefined;
  let append = false;
  for (const one of redirections) {
    const descriptor = one.descriptor?.type === "FileDescriptor" ? one.descriptor.value : undefined;
    if (one.type === "HereDoc") {
      const { body, delimiter } = one;
      const value = delimiter?.quoted === true || body.parts === undefined ? literal(body.text) : expandParts(body.parts, shell);
      stdin = dataOf(value);
      continue;
    }
    if (one.target === undefined) continue;
    const value = expandToOne(one.target, shell);
    if (one.type === "HereString") {
      stdin = dataOf({ ...value, text: `${value.text}\n`, ...(value.pattern !== undefined && { pattern: `${value.pattern}\n` }) });
      continue;
    }
    if ((one.operator === ">&" || one.operator === "<&") && isDescriptor(one.target, value)) {
      // `0>&1`: the input is what the output was connected to, which counts if that is a host.
      if ((descriptor === 0 || one.operator === "<&") && hosts.length > 0) stdin = networkData(hosts);
      continue;
    }
    const host = /^\/dev\/(?:tcp|udp)\/([^/]+)\//.exec(value.text)?.[1];
    if (host !== undefined) {
      hosts.push(host);
      if (one.operator.startsWith("<")) stdin = networkData(hosts);
      continue;
    }
    const path = resolvePath(value, scope.dir);
    if (path === undefined) continue;
    if (one.operator.startsWith("<") && one.operator !== "<&") {
      if (!isPlainDevice(path.path)) reads.push(path);
      if (descriptor === undefined || descriptor === 0) stdin = contentOf(value, path, scope);
    }
    if (one.operator === "<" || one.operator === "<&") continue;
    if (!isPlainDevice(path.path)) writes.push(path);
    if (descriptor === undefined || descriptor === 1) {
      output = path;
      append = one.operator.endsWith(">>");
    }
  }
  return { streams: { stdin, reads, writes, hosts, isRead: streams.isRead || output !== undefined }, output, append };
}

/** What a file holds, as far as the text says it. */
export function contentOf(value: Value, path: PathFact, scope: Scope): Data {
  if (value.flows !== undefined && value.unknown === undefined && value.text.startsWith("/dev/fd/")) {
    const [flow, ...others] = value.flows;
    return {
      flows: value.flows,
      value: flow?.text !== undefined && others.length === 0 ? { ...literal(flow.text), flows: [flow] } : undefined,
    };
  }
  const written = scope.files.get(path.path);
  if (written !== undefined) return written;
  if (isPlainDevice(path.path)) return { flows: [], value: undefined };
  return { flows: [{ from: "file", path }], value: undefined };
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
