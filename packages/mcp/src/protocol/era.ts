import { type Fields, fieldsOf } from "./message.js";

/** `legacy`: revisions with an `initialize` handshake. `modern`: each request says everything itself. */
export type Era = "legacy" | "modern";

export const MODERN_VERSION = "2026-07-28";
/** The newest first. */
export const LEGACY_VERSIONS: readonly string[] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"];
export const LATEST_LEGACY_VERSION = "2025-11-25";

/** The keys in `_meta` that MCP itself reads. */
export const META = {
  version: "io.modelcontextprotocol/protocolVersion",
  clientInfo: "io.modelcontextprotocol/clientInfo",
  capabilities: "io.modelcontextprotocol/clientCapabilities",
  logLevel: "io.modelcontextprotocol/logLevel",
  serverInfo: "io.modelcontextprotocol/serverInfo",
  subscription: "io.modelcontextprotocol/subscriptionId",
} as const;

/** The extension that lets a server of the modern era answer with a task. */
export const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";

/** Error codes of the modern era. */
export const MODERN_CODE = { headers: -32020, capability: -32021, version: -32022 } as const;

/** What a client says about itself: once in `initialize`, or with each request. */
export interface ClientFacts {
  readonly info: Fields | undefined;
  readonly capabilities: Fields;
  /** The least severe log messages that it wants for this request. Modern only. */
  readonly logLevel?: string;
}

const ENVELOPE: readonly string[] = [META.version, META.clientInfo, META.capabilities, META.logLevel];

export interface Envelope {
  readonly version: string;
  readonly facts: ClientFacts;
  /** The parameters without the envelope. */
  readonly params: Fields;
}

/** What is wrong with the envelope of a request, with the code of the error. */
export interface EnvelopeFault {
  readonly code: number;
  readonly fault: string;
  readonly data?: Fields;
}

/** Whether a request says itself which revision it is of. */
export function hasEnvelope(params: unknown): boolean {
  return META.version in fieldsOf(fieldsOf(params)._meta);
}

export function readEnvelope(params: Fields): Envelope | EnvelopeFault {
  const meta = fieldsOf(params._meta);
  const { [META.version]: version, [META.clientInfo]: info, [META.capabilities]: capabilities, [META.logLevel]: logLevel } = meta;
  if (version !== MODERN_VERSION)
    return {
      code: MODERN_CODE.version,
      fault: "Unsupported protocol version",
      data: { supported: [MODERN_VERSION], requested: String(version) },
    };
  if (fieldsOf(capabilities) !== capabilities) return { code: -32602, fault: `"${META.capabilities}" is missing in _meta` };
  return {
    version,
    facts: {
      info: fieldsOf(info) === info ? fieldsOf(info) : undefined,
      capabilities: fieldsOf(capabilities),
      ...(typeof logLevel === "string" && { logLevel }),
    },
    params: withoutMeta(params, ENVELOPE),
  };
}

/** A request with all that a modern server must know about the client. */
export function withEnvelope(params: unknown, { info, capabilities, logLevel }: ClientFacts): Fields {
  const given = fieldsOf(params);
  return {
    ...given,
    _meta: {
      ...fieldsOf(given._meta),
      [META.version]: MODERN_VERSION,
      ...(info !== undefined && { [META.clientInfo]: info }),
      [META.capabilities]: capabilities,
      ...(logLevel !== undefined && { [META.logLevel]: logLevel }),
    },
  };
}

/** The same without these keys of `_meta`, and without a `_meta` that they alone were in. */
export function withoutMeta(fields: Fields, keys: readonly string[]): Fields {
  if (fields._meta === undefined) return fields;
  const { _meta, ...rest } = fields;
  const left = Object.entries(fieldsOf(_meta)).filter(([key]) => !keys.includes(key));
  return left.length === 0 ? rest : { ...rest, _meta: Object.fromEntries(left) };
}

/** Capabilities of a client that the era can express: each has its own tasks. */
export function clientCapabilitiesFor(era: Era, capabilities: Fields): Fields {
  if (era === "legacy") {
    const { extensions: _, ...rest } = capabilities;
    return rest;
  }
  const { tasks: _, ...rest } = capabilities;
  return rest;
}
