import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { Refused } from "../http/refused.js";

/** Whether a listener is called by this name: the Host header in lower case, empty where there is none. */
export type HostCheck = (host: string) => boolean;

/** On loopback the hub has three names, and those of its page; a name of another's making that leads here is DNS rebinding. */
export function createTcpHosts(host: string, port: number, pageNames: () => readonly string[] = () => []): HostCheck {
  const withPort = (name: string): string[] => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]);
  const names = ["127.0.0.1", "[::1]", "localhost", bracketed(host.toLowerCase())];
  const known = new Set(names.flatMap(withPort));
  const isWildcard = host === "0.0.0.0" || host === "::";
  // Bound to every address, any of them may be meant. An address, unlike a name, cannot be made to lead elsewhere.
  const isOwnAddress = (given: string): boolean =>
    isWildcard && given.endsWith(`:${port}`) && isAddress(given.slice(0, given.lastIndexOf(":")));
  return (given) => known.has(given) || isOwnAddress(given) || pageNames().flatMap(withPort).includes(given);
}

/** No browser reaches a Unix socket, so any name of this machine's own will do. */
export const isSocketHost: HostCheck = (given) => {
  const name = given.replace(/:\d{1,5}$/, "");
  return ["", "localhost", "hookline", "[::1]"].includes(name) || /^127(\.\d{1,3}){3}$/.test(name);
};

/** Throws for a request that names another host (421), or that a page of another origin sent (403). */
export function checkOrigin(
  { method, url = "", headers }: Pick<IncomingMessage, "method" | "url" | "headers">,
  isOwnHost: HostCheck,
): void {
  const host = (headers.host ?? "").toLowerCase();
  if (!isOwnHost(host)) throw foreign(421, "The Host header names another host than this hub.");
  const { origin, "sec-fetch-site": site } = headers;
  if (origin !== undefined && origin.toLowerCase() !== `http://${host}`)
    throw foreign(403, "The request comes from a page of another origin.");
  if (site === undefined || site === "same-origin" || site === "none" || isVisit(method, url, headers)) return;
  throw foreign(403, "The request comes from a page of another site.");
}

/** Somebody follows a link to the page, or the file that `hookline open` wrote. The page has nothing to tell to whoever sent him. */
function isVisit(method: string | undefined, url: string, headers: IncomingHttpHeaders): boolean {
  const isPage = ["/", "/login"].includes(url.split("?", 1)[0] as string);
  return method === "GET" && isPage && headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document";
}

function foreign(status: number, message: string): Refused {
  return new Refused(status, "HL_FOREIGN_REQUEST", message, {
    fix: "Call the hub by the address in hub.json, and from no other site's page.",
  });
}

function bracketed(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}

function isAddress(text: string): boolean {
  return isIP(text) === 4 || (text.startsWith("[") && text.endsWith("]") && isIP(text.slice(1, -1)) === 6);
}
