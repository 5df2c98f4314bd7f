import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { Refused } from "../http/refused.js";

/** Whether a listener answers to this name: the Host header in lower case, or an empty text. */
export type HostCheck = (host: string) => boolean;

/** On loopback the hub has three names and those of its dashboard. Any other name that resolves to it is DNS rebinding. */
export function createTcpHosts(host: string, port: number, dashboardNames: () => readonly string[] = () => []): HostCheck {
  const withPort = (name: string): string[] => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]);
  const names = ["127.0.0.1", "[::1]", "localhost", bracketed(host.toLowerCase())];
  const known = new Set(names.flatMap(withPort));
  const isWildcard = host === "0.0.0.0" || host === "::";
  // A hub that is bound to every address answers to each of them. An address, unlike a name, cannot be pointed elsewhere.
  const isOwnAddress = (given: string): boolean =>
    isWildcard && given.endsWith(`:${port}`) && isAddress(given.slice(0, given.lastIndexOf(":")));
  return (given) => known.has(given) || isOwnAddress(given) || dashboardNames().flatMap(withPort).includes(given);
}

/** Browsers cannot reach a Unix socket, so any name of this machine is accepted. */
export const isSocketHost: HostCheck = (given) => {
  const name = given.replace(/:\d{1,5}$/, "");
  return ["", "localhost", "hookline", "[::1]"].includes(name) || /^127(\.\d{1,3}){3}$/.test(name);
};

/** Throws if the request names another host (421), or comes from a web page of another origin (403). */
export function checkOrigin(
  { method, url = "", headers }: Pick<IncomingMessage, "method" | "url" | "headers">,
  isOwnHost: HostCheck,
  publicOrigin?: string,
): void {
  const host = (headers.host ?? "").toLowerCase();
  if (!isOwnHost(host) && !isPublicHost(host, publicOrigin)) throw foreign(421, "The Host header names another host than this hub.");
  if (publicOrigin !== undefined && !isPublicHost(host, publicOrigin) && FORWARDED.some((name) => headers[name] !== undefined))
    throw foreign(
      421,
      "A proxy has passed this request on, and has changed its Host header.",
      `Let the proxy keep the Host header: ${new URL(publicOrigin).host}`,
    );
  const { origin, "sec-fetch-site": site } = headers;
  if (origin !== undefined && origin.toLowerCase() !== originAt(host, publicOrigin))
    throw foreign(403, "The request comes from a page of another origin.");
  if (site === undefined || site === "same-origin" || site === "none" || isVisit(method, url, headers)) return;
  throw foreign(403, "The request comes from a page of another site.");
}

/** What proxies add. Their values count for nothing. */
const FORWARDED = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip"] as const;

/** A browser follows a link to the dashboard, or opens the file that `hookline open` wrote. The dashboard tells the linking site nothing. */
function isVisit(method: string | undefined, url: string, headers: IncomingHttpHeaders): boolean {
  const isDashboard = ["/", "/login"].includes(url.split("?", 1)[0] as string);
  return method === "GET" && isDashboard && headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document";
}

const origins = new WeakMap<IncomingMessage, string>();

/** Keeps the origin at which a request called the hub, after `checkOrigin` has accepted it. */
export function rememberHost(incoming: IncomingMessage, publicOrigin?: string): void {
  origins.set(incoming, originAt((incoming.headers.host ?? "").toLowerCase(), publicOrigin));
}

/** The hub's origin under the name that the request called it by. */
export function originOf(incoming: IncomingMessage): string {
  return origins.get(incoming) ?? "http://";
}

/** The name of the dashboard behind a proxy with TLS, which leaves the Host header as it is. */
function isPublicHost(host: string, publicOrigin: string | undefined): boolean {
  return publicOrigin !== undefined && host === new URL(publicOrigin).host;
}

function originAt(host: string, publicOrigin: string | undefined): string {
  return publicOrigin !== undefined && isPublicHost(host, publicOrigin) ? publicOrigin : `http://${host}`;
}

const OWN_ADDRESS = "Call the hub by the address in hub.json, and not from another site's page.";

function foreign(status: number, message: string, fix = OWN_ADDRESS): Refused {
  return new Refused(status, "HL_FOREIGN_REQUEST", message, { fix });
}

function bracketed(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}

function isAddress(text: string): boolean {
  return isIP(text) === 4 || (text.startsWith("[") && text.endsWith("]") && isIP(text.slice(1, -1)) === 6);
}
