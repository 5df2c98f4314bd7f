import {
  createJsonlSink,
  createMemorySink,
  createStdoutSink,
  createUnixSocketSink,
  createWebhookSink,
  type Sink,
  type WebhookSinkOptions,
} from "@hookline/core/sinks";
import type { SecretText, SinkConfig, WebhookConfig } from "../../config/config.js";
import { readSecret } from "../../config/read-secret.js";

/** Opens the sink that a `[[sink]]` table describes. Throws what the sink itself throws, or `HL_SECRET_MISSING`. */
export function createSink({ name, ...sink }: SinkConfig): Sink {
  switch (sink.type) {
    case "jsonl":
      return createJsonlSink({ name, ...sink.options });
    case "webhook":
      return createWebhookSink({ name, ...withSecrets(sink.options) });
    case "unix-socket":
      return createUnixSocketSink({ name, ...sink.options });
    case "stdout":
      return createStdoutSink({ name, ...sink.options });
    case "memory":
      return createMemorySink({ name, ...sink.options });
  }
}

function withSecrets({ url, secret, headers, ...rest }: WebhookConfig): WebhookSinkOptions {
  return {
    ...rest,
    url: readSecret(url, "url"),
    ...(secret !== undefined && { secret: [secret].flat().map((one) => readSecret(one as SecretText, "secret")) }),
    ...(headers !== undefined && { headers: readHeaders(headers) }),
  };
}

function readHeaders(headers: { readonly [name: string]: SecretText }): { readonly [name: string]: string } {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, readSecret(value, `headers.${name}`)]));
}
