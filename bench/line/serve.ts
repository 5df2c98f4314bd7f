/** What a process of the bench can be asked to do. */
export type Methods = { readonly [name: string]: (...given: never[]) => unknown };

export interface Call {
  readonly call: number;
  readonly method: string;
  readonly given: readonly unknown[];
}
export type Answer = { readonly call: number } & ({ readonly result: unknown } | { readonly error: string });

/** The side of the process that is asked: answers what its parent asks, and ends with it. */
export function serve(methods: Methods): void {
  process.on("message", ({ call, method, given }: Call) => void answer(methods, call, method, given));
  process.on("disconnect", () => process.exit());
  // A parent that is interrupted at the terminal ends its children itself.
  process.on("SIGINT", () => {});
  process.send?.({ call: 0, result: undefined } satisfies Answer);
}

async function answer(methods: Methods, call: number, method: string, given: readonly unknown[]): Promise<void> {
  try {
    const result = await methods[method]?.(...(given as never[]));
    process.send?.({ call, result } satisfies Answer);
  } catch (error) {
    process.send?.({ call, error: error instanceof Error ? (error.stack ?? error.message) : String(error) } satisfies Answer);
  }
}
