import type { IncomingHttpHeaders } from "node:http";
import { META } from "./era.js";
import { type Fields, fieldsOf, type Request } from "./message.js";

/** Which parameter `Mcp-Name` repeats. */
const NAMED: { readonly [method: string]: string } = { "tools/call": "name", "prompts/get": "name", "resources/read": "uri" };

/** What is wrong with the headers of a modern request. What reads only them must not take the request for another one. */
export function headerFault(headers: IncomingHttpHeaders, { method, params }: Request): string | undefined {
  const given = fieldsOf(params);
  const field = NAMED[method];
  const wanted: readonly (readonly [string, unknown])[] = [
    ["MCP-Protocol-Version", fieldsOf(given._meta)[META.version]],
    ["Mcp-Method", method],
    ...(field === undefined ? [] : [["Mcp-Name", given[field]] as const]),
  ];
  for (const [name, value] of wanted) {
    const header = headers[name.toLowerCase()];
    if (typeof header !== "string") return `the header ${name} is missing`;
    if (decoded(header) !== value) return `the header ${name} says something else than the request`;
  }
  return undefined;
}

/** The headers in which a call repeats the arguments that the tool's schema marks. */
export function paramHeaders(schema: Fields, input: Fields): { readonly [name: string]: string } {
  const found: { [name: string]: string } = {};
  const look = ({ properties }: Fields, value: Fields): void => {
    for (const [name, inner] of Object.entries(fieldsOf(properties)).map(([key, one]) => [key, fieldsOf(one)] as const)) {
      const argument = Object.hasOwn(value, name) ? value[name] : undefined;
      const header = inner["x-mcp-header"];
      if (typeof header === "string" && isToken(header) && isPrimitive(argument)) found[`Mcp-Param-${header}`] = encoded(String(argument));
      look(inner, fieldsOf(argument));
    }
  };
  look(schema, input);
  return found;
}

/** Why a tool cannot be called over HTTP: an argument's header has a name that no header can have, or one that another has. */
export function headerNameFault(schema: Fields): string | undefined {
  const names: string[] = [];
  const look = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const header = (value as Fields)["x-mcp-header"];
    if (header !== undefined) names.push(String(header).toLowerCase());
    for (const inner of Object.values(value)) look(inner);
  };
  look(schema);
  const bad = names.find((name, index) => !isToken(name) || names.indexOf(name) !== index);
  return bad === undefined ? undefined : `its schema has the header name ${JSON.stringify(bad)}`;
}

function isToken(name: string): boolean {
  return /^[!#$%&'*+.^_`|~\w-]+$/.test(name);
}

function isPrimitive(value: unknown): boolean {
  return typeof value === "string" || typeof value === "boolean" || Number.isSafeInteger(value);
}

const BASE64 = /^=\?base64\?(.*)\?=$/s;

function encoded(value: string): string {
  const isPlain = /^[\x21-\x7e]([\x20-\x7e\t]*[\x21-\x7e])?$/.test(value) && !BASE64.test(value);
  return isPlain ? value : `=?base64?${Buffer.from(value).toString("base64")}?=`;
}

function decoded(value: string): string {
  const inside = BASE64.exec(value)?.[1];
  return inside === undefined ? value : Buffer.from(inside, "base64").toString("utf8");
}
