import { errorText } from "@hookline/core/internal/machine";
import type { Msg, NatsConnection } from "@nats-io/transport-node";
import { subjects } from "../nats/subjects.js";

/** Answers a request: the value becomes JSON. */
export type Verb = (input: { readonly [field: string]: unknown }) => unknown;

const MAX_REQUEST = 64 * 1024;

/** Answers requests on `hl.ctl.<host>.<verb>`. The server decides by credential who may send them; none of them changes what the host guards. */
export function answerControl(connection: NatsConnection, host: string, verbs: { readonly [verb: string]: Verb }): { close(): void } {
  const table = new Map(Object.entries(verbs));
  const subscription = connection.subscribe(subjects.control(host, "*"), { callback: (_, message) => void answer(message) });

  async function answer(message: Msg): Promise<void> {
    const { reply, ...input } = readInput(message);
    // Other subjects that the host may publish to, such as its events, are not for answers.
    if (typeof reply !== "string" || !reply.startsWith(subjects.reply(host, ""))) return;
    const respond = (value: object): void => connection.publish(reply, JSON.stringify(value));
    const name = message.subject.split(".").at(-1) ?? "";
    const verb = table.get(name);
    try {
      if (verb === undefined) respond({ error: `This host does not know "${name.slice(0, 64)}".` });
      else respond({ ok: await verb(input) });
    } catch (error) {
      // The verb may have taken longer than the connection lasted.
      if (!connection.isClosed() && !connection.isDraining()) respond({ error: errorText(error) });
    }
  }

  return { close: () => subscription.unsubscribe() };
}

function readInput({ data }: Msg): { readonly [field: string]: unknown } {
  if (data.length === 0 || data.length > MAX_REQUEST) return {};
  try {
    return Object(JSON.parse(new TextDecoder().decode(data))) as { readonly [field: string]: unknown };
  } catch {
    return {};
  }
}
