import { type Era, LATEST_LEGACY_VERSION, LEGACY_VERSIONS, META, MODERN_VERSION, withoutMeta } from "../protocol/era.js";
import { type Fields, fieldsOf } from "../protocol/message.js";
import type { PinnedTexts } from "../state/pinned-texts.js";
import { withoutLookAlikes } from "./look-alikes.js";

/** What a server says about itself, by `initialize` or by `server/discover`. */
export interface ServerHello {
  readonly era: Era;
  /** The revision that both speak. */
  readonly version: string;
  readonly capabilities: Fields;
  /** Its whole answer. */
  readonly said: Fields;
}

/** The fields of both answers. A client may read another spelling as one of them. */
const SAID = [
  "protocolVersion",
  "supportedVersions",
  "capabilities",
  "serverInfo",
  "instructions",
  "resultType",
  "ttlMs",
  "cacheScope",
  "_meta",
];

/** The methods whose lists a server without the capability does not have. */
export const LISTS: { readonly [method: string]: string } = {
  "tools/list": "tools",
  "prompts/list": "prompts",
  "resources/list": "resources",
  "resources/templates/list": "resourceTemplates",
};

/** Whether the server itself has what a list belongs to. */
export function hasList({ capabilities }: ServerHello, method: string): boolean {
  const [capability = ""] = method.split("/");
  return capabilities[capability] !== undefined;
}

/** A server's answer to `initialize`. */
export function initialized(said: Fields): ServerHello {
  return { era: "legacy", version: String(said.protocolVersion), capabilities: fieldsOf(said.capabilities), said };
}

/** A server's answer to `server/discover`; `undefined` for any other answer. */
export function discovered(said: Fields): ServerHello | undefined {
  if (!Array.isArray(said.supportedVersions) || !said.supportedVersions.includes(MODERN_VERSION)) return undefined;
  return { era: "modern", version: MODERN_VERSION, capabilities: fieldsOf(said.capabilities), said };
}

/** What the client is told: in its own era, with instructions that are pinned, and nothing that could be taken for them. */
export function helloFor(client: Era, asked: string, hello: ServerHello, pins: PinnedTexts): Fields {
  const safe = safeHello(hello.said, pins);
  if (client === hello.era) return client === "legacy" ? safe : discoverResult(safe);
  const { capabilities, instructions, _meta } = safe;
  const texts = instructions === undefined ? {} : { instructions };
  if (client === "modern") {
    const meta = { ...fieldsOf(_meta), [META.serverInfo]: safe.serverInfo };
    return discoverResult({ capabilities: withoutTasks(fieldsOf(capabilities)), ...texts, _meta: meta });
  }
  const info = fieldsOf(_meta)[META.serverInfo];
  return {
    ...withoutMeta({ _meta }, [META.serverInfo]),
    protocolVersion: legacyVersion(asked),
    capabilities: withoutTasks(fieldsOf(capabilities)),
    serverInfo: fieldsOf(info) === info ? info : { name: "unnamed", version: "0" },
    ...texts,
  };
}

/** What is said before anyone knows: an offer of everything, because a server that is installed first must not let the client give up. */
export function offerOfEverything(client: Era, asked: string, serverInfo: Fields): Fields {
  const capabilities = {
    tools: { listChanged: true },
    prompts: { listChanged: true },
    resources: { listChanged: true, subscribe: true },
    logging: {},
    completions: {},
  };
  return client === "modern"
    ? discoverResult({ capabilities, _meta: { [META.serverInfo]: serverInfo } })
    : { protocolVersion: legacyVersion(asked), capabilities, serverInfo };
}

function legacyVersion(asked: string): string {
  return LEGACY_VERSIONS.includes(asked) ? asked : LATEST_LEGACY_VERSION;
}

/** Not to be kept by the client: what is pinned may change. */
function discoverResult(said: Fields): Fields {
  return { ...said, resultType: "complete", supportedVersions: [MODERN_VERSION], ttlMs: 0, cacheScope: "private" };
}

/** Each era has tasks of its own, and none can be expressed in the other. */
function withoutTasks({ tasks: _, extensions: __, ...rest }: Fields): Fields {
  return rest;
}

function safeHello(said: Fields, pins: PinnedTexts): Fields {
  const hello = withoutLookAlikes(said, SAID);
  if (typeof hello.instructions !== "string") return without(hello, "instructions");
  const instructions = pins.instructions(hello.instructions);
  return instructions === undefined ? without(hello, "instructions") : { ...hello, instructions };
}

function without(fields: Fields, name: string): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([key]) => key !== name));
}
