import { createHash } from "node:crypto";
import { commonFields, ownEvent } from "./common-fields.js";
import type { AgentDialect, NativeEvent } from "./definition.js";
import { type Json, type NativePayload, readNative } from "./native-payload.js";

export interface TranslatorOptions<E extends string> {
  /** The agent's id. */
  readonly agent: string;
  readonly events: { readonly [name in E]: NativeEvent };
  /** The fields of an event besides those that all events of the agent have. */
  readonly details: { readonly [name in E]?: (native: NativePayload) => Json };
  /** The key in `events`, for an agent that spells names in two ways. */
  readonly nameOf?: (name: string) => E | undefined;
  /** The payload with the field names that `shared/common-fields.ts` reads. */
  readonly normalize?: (payload: unknown) => unknown;
  /** The fields that all events of the agent have. */
  readonly common?: (native: NativePayload) => Json;
  /** For an event that can become several of ours. */
  readonly eventOf?: (name: E, native: NativePayload) => string;
  /** The payload as it is stored under `raw`. */
  readonly rawOf?: (name: string, payload: unknown) => unknown;
  /** The same for two deliveries of one call. */
  readonly keyOf: (event: string, native: NativePayload, name: string) => string | undefined;
}

/** Builds an agent's `translate` from its tables. */
export function createTranslator<E extends string>(options: TranslatorOptions<E>): AgentDialect["translate"] {
  const { agent, events, details, keyOf } = options;
  const {
    nameOf = (name: string) => (Object.hasOwn(events, name) ? (name as E) : undefined),
    normalize = (payload: unknown) => payload,
    common = (native: NativePayload) => commonFields(agent, native),
    eventOf = (name: E) => events[name].event,
    rawOf = (_: string, payload: unknown) => payload,
  } = options;
  return (name, payload) => {
    const native = readNative(normalize(payload));
    const known = nameOf(name);
    const event = known === undefined ? ownEvent(agent, name) : eventOf(known, native);
    const own = known === undefined ? {} : (details[known]?.(native) ?? {});
    const fields = { ...common(native), ...own, raw: rawOf(name, payload) };
    const key = keyOf(event, native, name);
    return {
      event,
      payload: native.unreadable.length === 0 ? fields : { ...fields, unreadable: native.unreadable },
      ...(key !== undefined && { key }),
    };
  };
}

/** A short digest of a call's content, for agents that give calls no id. */
export function contentDigest(...content: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(content)).digest("base64url").slice(0, 16);
}
