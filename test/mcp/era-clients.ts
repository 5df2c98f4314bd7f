import { Client as Client2, type ClientOptions, StreamableHTTPClientTransport as Http2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as Stdio2 } from "@modelcontextprotocol/client/stdio";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Stdio1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as Http1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";

/** Where a client reaches its server: a command, or an address. */
export type Place =
  | { readonly args: readonly string[]; readonly env: Record<string, string> }
  | { readonly url: string; readonly token: string };

interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: { readonly progress: number }) => void;
}

/** What the table of pairings does with a client, whichever SDK it is of. */
export interface EraClient {
  /** What the gateway and the client speak. */
  readonly revision: () => string | undefined;
  readonly instructions: () => string | undefined;
  readonly tools: () => Promise<readonly { readonly name: string; readonly description?: string | undefined }[]>;
  readonly call: (name: string, input?: object, options?: CallOptions) => Promise<unknown>;
  readonly read: (uri: string) => Promise<unknown>;
  readonly prompt: (name: string, input: Record<string, string>) => Promise<unknown>;
  /** A call as a task of the legacy era. */
  readonly task: (name: string, input: object) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

export const CLIENTS = ["v1", "v2 legacy", "v2 auto", "v2 pinned"] as const;
export type ClientKind = (typeof CLIENTS)[number];

const MODERN = "2026-07-28";
const anything = z.looseObject({});
const person = () => ({ action: "accept" as const, content: { name: "Ann" } });

export function connectClient(kind: ClientKind, place: Place): Promise<EraClient> {
  return kind === "v1" ? connectV1(place) : connectV2(kind, place);
}

async function connectV1(place: Place): Promise<EraClient> {
  const client = new Client1({ name: "v1", version: "1" }, { capabilities: { elicitation: {}, roots: {} } });
  client.setRequestHandler(ElicitRequestSchema, person);
  const transport =
    "url" in place
      ? new Http1(new URL(place.url), { requestInit: { headers: bearer(place) } })
      : new Stdio1({ command: process.execPath, args: [...place.args], env: place.env, stderr: "ignore" });
  await client.connect(transport as never);
  return {
    revision: () => undefined,
    instructions: () => client.getInstructions(),
    tools: async () => (await client.listTools()).tools,
    call: (name, input = {}, options = {}) => client.callTool({ name, arguments: { ...input } }, undefined, options),
    read: (uri) => client.readResource({ uri }),
    prompt: (name, input) => client.getPrompt({ name, arguments: input }),
    task: (name, input) =>
      client.request({ method: "tools/call", params: { name, arguments: { ...input }, task: { ttl: 60_000 } } }, anything),
    close: () => client.close(),
  };
}

async function connectV2(kind: Exclude<ClientKind, "v1">, place: Place): Promise<EraClient> {
  const mode = kind === "v2 legacy" ? "legacy" : kind === "v2 auto" ? "auto" : { pin: MODERN };
  const options: ClientOptions = { capabilities: { elicitation: {}, roots: {} }, versionNegotiation: { mode } };
  const client = new Client2({ name: "v2", version: "1" }, options);
  client.setRequestHandler("elicitation/create", person);
  const transport =
    "url" in place
      ? new Http2(new URL(place.url), { requestInit: { headers: bearer(place) } })
      : new Stdio2({ command: process.execPath, args: [...place.args], env: place.env, stderr: "ignore" });
  await client.connect(transport);
  return {
    revision: () => client.getNegotiatedProtocolVersion(),
    instructions: () => client.getInstructions(),
    tools: async () => (await client.listTools()).tools,
    call: (name, input = {}, options = {}) => client.callTool({ name, arguments: { ...input } }, options),
    read: (uri) => client.readResource({ uri }),
    prompt: (name, input) => client.getPrompt({ name, arguments: input }),
    task: (name, input) =>
      client.request({ method: "tools/call", params: { name, arguments: { ...input }, task: { ttl: 60_000 } } } as never, anything),
    close: () => client.close(),
  };
}

function bearer({ token }: { readonly token: string }): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}
