import type { EventMessage } from "../nats/event-message.js";

/** A message costs server and fleet hub more than an event of usual size does. */
const MAX_CHARS = 64 * 1024;

/** Puts events that follow each other into one message, as lines, up to a size. The chain of positions stays the same. */
export function packed(messages: readonly EventMessage[], maxChars: number): readonly EventMessage[] {
  const result: EventMessage[] = [];
  let run: EventMessage[] = [];
  let chars = 0;
  const most = Math.min(maxChars, MAX_CHARS);
  const end = (): void => {
    const [first, last] = [run[0], run.at(-1)];
    if (run.length > 1 && first !== undefined && last !== undefined)
      result.push({ ...first, kind: "events", position: last.position, body: run.map(({ body }) => body).join("\n") });
    else result.push(...run);
    [run, chars] = [[], 0];
  };
  for (const message of messages) {
    if (run.length > 0 && chars + message.body.length >= most) end();
    if (isLine(message)) {
      run.push(message);
      chars += message.body.length + 1;
    } else {
      end();
      result.push(message);
    }
  }
  end();
  return result;
}

/** JSON may have line ends between its values. */
function isLine({ kind, previous, position, body }: EventMessage): boolean {
  return kind === "event" && position - previous === 1 && !body.includes("\n");
}
