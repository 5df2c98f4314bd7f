import { BlockList, isIP } from "node:net";

/** Which addresses a webhook may dial. Link-local, metadata, unspecified, multicast and reserved ones never are. */
export interface AddressPolicy {
  readonly allowPrivate: boolean;
  /** Plain http without `allowHttp`: what it sends must not leave the machine. */
  readonly isLoopbackOnly: boolean;
}

export type AddressKind = keyof typeof ranges | "translated" | "public";

/** Why an address must not be dialled, as the rest of "… because it is"; nothing if it may. */
export function refusalOf(address: string, policy: AddressPolicy): string | undefined {
  const kind = kindOf(address);
  if (kind === undefined) return "no IP address";
  if (policy.isLoopbackOnly && kind !== "loopback") return "not a loopback address and the URL is plain http";
  if (kind === "public") return undefined;
  if (kind === "private" || kind === "loopback") return policy.allowPrivate ? undefined : `a ${kind} address`;
  return `a ${kind} address`;
}

/** Nothing for text that is not an IP address in the usual notation. */
export function kindOf(address: string): AddressKind | undefined {
  const [bare = ""] = address.split("%", 1);
  const version = isIP(bare);
  if (version === 4) return find(bare, "ipv4");
  if (version === 0) return undefined;
  const groups = groupsOf(bare);
  if (isMapped(groups)) return find(dotted(groups[6], groups[7]), "ipv4");
  const kind = find(bare, "ipv6");
  // A translator would dial the inner address on our behalf, where no check of ours is left.
  return kind === "public" && innerAddresses(groups).some((inner) => find(inner, "ipv4") !== "public") ? "translated" : kind;
}

// The first kind that fits wins: metadata addresses lie in ranges of other kinds.
const ranges = {
  // AWS (also its IPv6 range, with the credentials of containers), Google, Alibaba, Oracle, Azure.
  metadata: ["169.254.169.254/32", "fd00:ec2::/32", "fd20:ce::/32", "100.100.100.200/32", "192.0.0.192/32", "168.63.129.16/32"],
  unspecified: ["0.0.0.0/8", "::/128"],
  loopback: ["127.0.0.0/8", "::1/128"],
  "link-local": ["169.254.0.0/16", "fe80::/10"],
  multicast: ["224.0.0.0/4", "ff00::/8"],
  reserved: ["240.0.0.0/4"],
  private: [
    ...["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "192.0.0.0/24", "198.18.0.0/15"],
    ...["fc00::/7", "fec0::/10"],
  ],
} as const;

const lists = Object.entries(ranges).map(([kind, blocks]) => ({ kind: kind as keyof typeof ranges, list: blockList(blocks) }));

function blockList(blocks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const block of blocks) {
    const [network = "", prefix] = block.split("/");
    list.addSubnet(network, Number(prefix), network.includes(":") ? "ipv6" : "ipv4");
  }
  return list;
}

function find(address: string, family: "ipv4" | "ipv6"): AddressKind {
  return lists.find(({ list }) => list.check(address, family))?.kind ?? "public";
}

/** The eight numbers of an IPv6 address; the URL parser knows every way to write one. */
function groupsOf(address: string): number[] {
  const [head = "", tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const before = numbersIn(head);
  const after = numbersIn(tail ?? "");
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}

function numbersIn(text: string): number[] {
  return text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
}

function isMapped(groups: readonly number[]): boolean {
  return groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
}

/** The IPv4 addresses inside those of NAT64, 6to4, Teredo, SIIT and the old compatible form. */
function innerAddresses([a, b, c, d, e, f, g = 0, h = 0]: readonly number[]): string[] {
  if (a === 0x64 && b === 0xff9b) return [dotted(g, h)];
  if (a === 0x2002) return [dotted(b, c)];
  if (a === 0x2001 && b === 0) return [dotted(c, d), dotted(g ^ 0xffff, h ^ 0xffff)];
  const isZeroed = a === 0 && b === 0 && c === 0 && d === 0;
  return isZeroed && (e === 0 || e === 0xffff) && f === 0 ? [dotted(g, h)] : [];
}

function dotted(high = 0, low = 0): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}
