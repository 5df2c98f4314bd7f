import { type Bus, type BusOptions, createBus, type HookError } from "@hookline/core";

/** A bus that keeps what it reports instead of writing it to stderr. */
export function reportingBus(options: BusOptions = {}): { bus: Bus; reports: HookError[]; codes: () => string[] } {
  const reports: HookError[] = [];
  const bus = createBus({ ...options, onError: (error) => reports.push(error) });
  return { bus, reports, codes: () => reports.map(({ code }) => code) };
}

/** A tool call as agents send it. */
export function call(command = "ls", name = "bash") {
  return { session: { id: "s1" }, tool: { name, callId: "c1", input: { command } } };
}

/** The same call with another command, as a rewrite would return it. */
export function withCommand<P extends { readonly tool: { readonly input: object } }>(payload: P, command: string): P {
  return { ...payload, tool: { ...payload.tool, input: { ...payload.tool.input, command } } };
}

/** A promise to be settled by hand. */
export function deferred<T = void>(): { promise: Promise<T>; resolve: (value: T) => void; reject: (error: unknown) => void } {
  let resolve: (value: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  return { promise, resolve, reject };
}

export const never = (): Promise<never> => new Promise(() => {});
