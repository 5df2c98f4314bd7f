import type { Fields } from "../protocol/message.js";

/** When an interceptor acts, in the words of the draft. */
type Phase = "request" | "response";

/** An interceptor as `interceptors/list` gives it. What is the default of the draft is left out. */
export interface Descriptor {
  readonly name: string;
  readonly version?: string;
  readonly description?: string;
  readonly type: "validation" | "mutation";
  readonly hooks: readonly { readonly events: readonly string[]; readonly phase: Phase }[];
  /** It only tells what it would do. Without it, an interceptor is active. */
  readonly mode?: "audit";
  readonly failOpen?: true;
}

export interface Invocation {
  readonly name: string;
  readonly event: string;
  readonly phase: Phase;
  readonly payload: unknown;
  readonly config?: Fields | undefined;
  readonly context?: Fields | undefined;
}

/** What a validator says. Only an error blocks. */
export interface Validation {
  readonly valid: boolean;
  readonly severity?: "error";
  readonly messages?: readonly { readonly message: string; readonly severity: "error" }[];
}

export interface Mutation {
  readonly modified: boolean;
  readonly payload: unknown;
}

export interface Interceptor {
  readonly descriptor: Descriptor;
  readonly act: (invocation: Invocation, signal?: AbortSignal) => Promise<Validation | Mutation> | Validation | Mutation;
}

/** An interceptor that is not there, or is not for this. */
export class InvocationFault extends Error {}

export const VALID: Validation = { valid: true };

export function invalid(message: string): Validation {
  return { valid: false, severity: "error", messages: [{ message, severity: "error" }] };
}

/** The interceptors of one server. */
export class InterceptorRegistry {
  readonly #interceptors: readonly Interceptor[];

  constructor(interceptors: readonly Interceptor[]) {
    this.#interceptors = interceptors;
  }

  /** In the order in which they were given. */
  list(event?: string): { readonly interceptors: readonly Descriptor[] } {
    const descriptors = this.#interceptors.map(({ descriptor }) => descriptor);
    return {
      interceptors: descriptors.filter(({ hooks }) => event === undefined || hooks.some(({ events }) => matches(events, event))),
    };
  }

  /** Throws `InvocationFault`, or whatever the interceptor fails with: the invoker blocks the call then. */
  async invoke(invocation: Invocation, signal?: AbortSignal): Promise<Fields> {
    const { name, event, phase } = invocation;
    const found = this.#interceptors.find(({ descriptor }) => descriptor.name === name);
    if (found === undefined) throw new InvocationFault(`There is no interceptor "${name}".`);
    const { descriptor } = found;
    if (!descriptor.hooks.some((hook) => hook.phase === phase && matches(hook.events, event)))
      throw new InvocationFault(`"${name}" is not for the ${phase} of "${event}".`);
    return { interceptor: name, type: descriptor.type, phase, ...(await found.act(invocation, signal)) };
  }
}

function matches(events: readonly string[], event: string): boolean {
  return events.includes("*") || events.includes(event);
}
