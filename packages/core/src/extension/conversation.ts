import { messageOf } from "../bus/describe-error.js";
import { promiseOf, whenSettled } from "../bus/promises.js";
import { findEvent, isPattern, patternMatches, resolveEvent, spelledOut } from "../catalog/names.js";
import { encodeAnswer } from "./encode-answer.js";
import { EXTENSION_PROTOCOL_VERSION, type ExtensionEvent, type ExtensionHandler, type ExtensionOptions } from "./options.js";

interface Request {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly [key: string]: unknown };
}

/** As it is before the hook is loaded. */
const { stringify } = JSON;

type Settings = { readonly [key: string]: unknown };

const METHOD_NOT_FOUND = -32601;
const HANDLER_FAILED = -32000;

export interface Conversation {
  /** Takes one frame of the host. */
  read(text: string): void;
  /** The host is gone, or has said so. */
  stop(): Promise<void>;
}

/** The extension's half of the protocol: requests in, answers out, in whatever order they are ready. */
export function createConversation<H>(options: ExtensionOptions<H>, send: (text: string) => void, exit: () => void): Conversation {
  const find = createFinder(options.hooks);
  const running = new Map<unknown, AbortController>();
  let config: Settings = {};

  async function start(id: unknown, params: Settings): Promise<void> {
    config = (params.config ?? {}) as Settings;
    try {
      await options.onStart?.({ name: String(params.name ?? options.name), config });
      send(answer(id, { protocolVersion: EXTENSION_PROTOCOL_VERSION, name: options.name }));
    } catch (error) {
      send(failure(id, HANDLER_FAILED, error));
    }
  }

  function handle(id: unknown, params: Settings): void {
    const name = String(params.event);
    const handler = find(name);
    if (handler === undefined) return send(failure(id, METHOD_NOT_FOUND, `"${options.name}" has no handler for "${name}".`));
    const abort = new AbortController();
    running.set(id, abort);
    try {
      const given = handler({ ...params, name, config, signal: abort.signal } as unknown as ExtensionEvent);
      const promise = promiseOf(given);
      const isTransform = findEvent(name)?.spec.kind === "transform";
      const heard = (value: unknown) => settle(id, () => result(id, encodeAnswer(value, isTransform)));
      if (promise === undefined) heard(given);
      else whenSettled(promise, heard, (error) => settle(id, () => failure(id, HANDLER_FAILED, error)));
    } catch (error) {
      settle(id, () => failure(id, HANDLER_FAILED, error));
    }
  }

  /** An answer the host no longer waits for is not sent: it would count as a failure. */
  function settle(id: unknown, frame: () => string): void {
    if (!running.delete(id)) return;
    try {
      send(frame());
    } catch (error) {
      send(failure(id, HANDLER_FAILED, error));
    }
  }

  function cancel(id: unknown): void {
    const abort = running.get(id);
    running.delete(id);
    abort?.abort();
  }

  async function stop(): Promise<void> {
    for (const id of [...running.keys()]) cancel(id);
    await options.onStop?.();
  }

  return {
    stop,
    read(text) {
      const { id, method, params = {} } = JSON.parse(text) as Request;
      if (method === "hook.handle") handle(id, params);
      else if (method === "initialize") void start(id, params);
      else if (method === "cancel") cancel(params.id);
      else if (method === "shutdown")
        void stop()
          .catch(() => {})
          .then(() => {
            send(answer(id, null));
            exit();
          });
      else if (method !== undefined && id !== undefined) send(failure(id, METHOD_NOT_FOUND, `There is no method "${method}".`));
    },
  };
}

function answer(id: unknown, value: unknown): string {
  return result(id, stringify(value));
}

function result(id: unknown, json: string): string {
  return `{"jsonrpc":"2.0","id":${stringify(id)},"result":${json}}`;
}

function failure(id: unknown, code: number, error: unknown): string {
  return stringify({ jsonrpc: "2.0", id, error: { code, message: messageOf(error) } });
}

/** Finds the handler of an event. Throws `HL_UNKNOWN_EVENT` for a hook that could never be asked. */
function createFinder(hooks: object): (event: string) => ExtensionHandler | undefined {
  const exact = new Map<string, ExtensionHandler>();
  const patterns: [string, ExtensionHandler][] = [];
  for (const [written, handler] of Object.entries(hooks) as [string, ExtensionHandler][]) {
    const event = spelledOut(written);
    if (isPattern(event)) patterns.push([event, handler]);
    else exact.set(resolveEvent(event).name, handler);
  }
  // The longer, the narrower.
  patterns.sort(([a], [b]) => b.length - a.length);
  return (event) => exact.get(event) ?? patterns.find(([pattern]) => patternMatches(pattern, event))?.[1];
}
