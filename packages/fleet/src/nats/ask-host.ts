import { type Msg, type NatsConnection, nuid } from "@nats-io/transport-node";
import { subjects } from "./subjects.js";

/** Sends a control message to a host and waits for its answer. Rejects if the host is away or too slow. */
export function askHost(
  connection: NatsConnection,
  { host, verb, timeoutMs }: { readonly host: string; readonly verb: string; readonly timeoutMs: number },
  input: { readonly [field: string]: unknown },
): Promise<Msg> {
  const reply = subjects.reply(host, nuid.next());
  // Between accounts, the server puts a reply subject of its own into the message.
  const request = JSON.stringify({ ...input, reply });
  return connection.request(subjects.control(host, verb), request, { timeout: timeoutMs, noMux: true, reply });
}
