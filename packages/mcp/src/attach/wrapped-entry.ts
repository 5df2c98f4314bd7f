import { type Fields, fieldsOf } from "../protocol/message.js";

/** How our command line is started, in an entry of a client. */
export interface OwnProgram {
  readonly command: string;
  readonly args: readonly string[];
}

/** The entry of a server, changed so that it goes through the gateway; or why it stays as it is. */
export type Wrapped = { readonly entry: Fields } | { readonly left: string };

/** Which fields of a client hold the address of a server over HTTP. */
export interface EntryFields {
  readonly url: string;
  readonly headers: string;
  /** Holds the name of a variable with a token. */
  readonly bearerEnv?: string;
}

export function wrapEntry(name: string, given: unknown, { url, headers, bearerEnv = "" }: EntryFields, own: OwnProgram): Wrapped {
  const entry = fieldsOf(given);
  if (isOurs(entry, own)) return { left: "it is behind the rules already" };
  const words = (...more: readonly string[]): readonly string[] => [...own.args, "mcp", ...more];
  if (typeof entry.command === "string") {
    const { command, args = [] } = entry;
    if (!Array.isArray(args) || !args.every((arg) => typeof arg === "string")) return { left: "its arguments are not a list of texts" };
    return { entry: { ...entry, command: own.command, args: words("wrap", "--name", name, "--", command as string, ...args) } };
  }
  const address = entry[url];
  if (typeof address !== "string") return { left: "it has neither a command nor an address that Hookline knows" };
  if (entry.type === "sse") return { left: "it uses the older HTTP+SSE transport" };
  const { [url]: _, [headers]: given_, [bearerEnv]: bearer, type, env, ...rest } = entry;
  const variables = given_ === undefined ? env : { ...fieldsOf(env), HOOKLINE_MCP_HEADERS: JSON.stringify(given_) };
  return {
    entry: {
      ...(type !== undefined && { type: "stdio" }),
      command: own.command,
      args: words("proxy", address, "--name", name, ...(typeof bearer === "string" ? ["--bearer-env", bearer] : [])),
      ...(variables !== undefined && { env: variables }),
      ...rest,
    },
  };
}

/** Whether an entry starts the gateway. */
export function isOurs(entry: Fields, { command, args: [main = ""] }: OwnProgram): boolean {
  const { args } = entry;
  return entry.command === command && Array.isArray(args) && args[0] === main && args[1] === "mcp";
}
