/** What a program of this folder does when the harness asks; it ends with the harness. */
export function answerWith(doings: { readonly [question: string]: (details: never) => unknown }): void {
  process.on("disconnect", () => process.exit(0));
  process.on("message", (message) => {
    const { id, do: question, ...details } = message as { id: number; do: string };
    void Promise.resolve()
      .then(() => doings[question]?.(details as never))
      .then((result) => send({ id, result: result ?? null }))
      .catch((error: unknown) => send({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) }));
  });
}

export function sayReady(result: object = {}): void {
  send({ id: 0, result });
}

export function sayFailed(error: string): void {
  send({ id: 0, error });
}

function send(message: object): void {
  if (process.connected) process.send?.(message);
}
