import { jetstream } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { type EventMessage, OVERHEAD_BYTES } from "../nats/event-message.js";
import { putLargeEvent } from "../nats/large-event.js";
import type { Link } from "../nats/link.js";

/** Puts events that are larger than a message may be into the object store, and a pointer into their place. */
export class LargeEvents {
  readonly #options: { readonly connection: NatsConnection; readonly link: Link; readonly host: string };
  /** By position, as the bodies of their messages: a batch that was refused uses them again. */
  readonly #pointers = new Map<number, string>();

  constructor(options: { readonly connection: NatsConnection; readonly link: Link; readonly host: string }) {
    this.#options = options;
  }

  async replace(messages: readonly EventMessage[]): Promise<readonly EventMessage[]> {
    const { connection, link, host } = this.#options;
    const most = (connection.info?.max_payload ?? 0) - OVERHEAD_BYTES;
    const isLarge = ({ body }: EventMessage): boolean => body.length * 3 > most && Buffer.byteLength(body) > most;
    if (!messages.some(isLarge)) return messages;
    const js = jetstream(connection);
    const ready: EventMessage[] = [];
    for (const message of messages) {
      if (!isLarge(message)) {
        ready.push(message);
        continue;
      }
      const { position } = message;
      const body = this.#pointers.get(position) ?? JSON.stringify(await link.whileUp(putLargeEvent(js, host, message.body, most)));
      this.#pointers.set(position, body);
      ready.push({ ...message, kind: "large", body });
    }
    return ready;
  }

  /** The server has the messages. */
  sent(messages: readonly EventMessage[]): void {
    if (this.#pointers.size > 0) for (const { position } of messages) this.#pointers.delete(position);
  }

  /** The object store may have lost them. */
  forget(): void {
    this.#pointers.clear();
  }
}
