import { isExact, literal, type Value } from "./value.js";

/** The host of an address, of `user@host` or of `host:port`, in lower case. Undefined if it is not known. */
export function hostOfUrl({ text, pattern, unknown }: Value): string | undefined {
  const isOpen = pattern !== undefined && unknown !== undefined;
  const known = (isOpen ? pattern.slice(0, pattern.indexOf("**")) : text).replace(/^[a-z][a-z0-9+.-]*:\/\//i, "");
  const [, host, end = ""] = /^(?:[^@/\s]*@)?(\[[^\]]*\]|[^/:?#\s]+)(.?)/.exec(known) ?? [];
  // The unknown part may continue the host's name. After a whole address comes a port or a path.
  if (host === undefined || (isOpen && end === "" && !/^\d+(?:\.\d+){3}$/.test(host))) return undefined;
  return canonicalHost(host);
}

/** The host of `host:path`, `user@host:path` or `scheme://host/path`, as scp, rsync and cloud tools write places on other machines. */
export function remoteOf(value: Value): string | undefined {
  const { text } = value;
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return text.startsWith("file://") ? undefined : (hostOfUrl(value) ?? text);
  if (/^[./~]/.test(text) || (!isExact(value) && value.pattern?.startsWith("**") === true && !text.includes(":"))) return undefined;
  return /^(?:[^@/\s:]+@)?(\[[^\]]+\]|[^/\s:]{2,}):/.exec(text)?.[1]?.toLowerCase();
}

/**
 * A host as programs resolve it: addresses in one spelling (`0x7f.1` is `127.0.0.1`), IPv4 addresses without the IPv6 around them, IPv6 addresses
 * without brackets, names without the dot of the root.
 */
function canonicalHost(host: string): string {
  const small = host.toLowerCase();
  // Names need no parser, and most hosts are names.
  if (!/^[\d[]|%|\.$|[^\0-\x7f]/.test(small) || !URL.canParse(`http://${small}/`)) return small;
  const name = new URL(`http://${small}/`).hostname;
  if (!name.startsWith("[")) return name.replace(/\.$/, "");
  const address = name.slice(1, -1);
  const [, high, low] = /^(?:::|::ffff:|::ffff:0:|64:ff9b::)([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(address) ?? [];
  if (high === undefined || low === undefined) return address;
  const bytes = (Number.parseInt(high, 16) << 16) | Number.parseInt(low, 16);
  return [24, 16, 8, 0].map((shift) => (bytes >>> shift) & 255).join(".");
}

/** The host that a program really talks to, in `name:port:address` (curl --resolve) or `host:port:host:port` (--connect-to). */
export function reroutedHosts(text: string): readonly string[] {
  const to = /^[+-]?(?:\[[^\]]*\]|[^:]*):[^:]*:(.+)$/.exec(text)?.[1] ?? "";
  return to.split(",").flatMap((one) => {
    const isBareIpv6 = !one.startsWith("[") && one.split(":").length > 2;
    return hostOfUrl(literal(isBareIpv6 ? `[${one}]` : one)) ?? [];
  });
}
