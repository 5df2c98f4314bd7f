import type { SinkOption } from "@hookline/core/internal/sinks";
import type { SendResult } from "@hookline/core/sinks";
import type { Message } from "./message.js";

/** The options of a target after reading, with its secrets. */
export type TargetOptions = { readonly [option: string]: unknown };

/** An open connection to a service. Like a sink, it answers with a result and does not throw. */
export interface Channel {
  /** `reference`: the service's name for the message, if it can be edited. */
  send(message: Message, signal: AbortSignal): Promise<SendResult & { readonly reference?: string | undefined }>;
  /** Replaces a message that was sent. Missing where the service cannot. */
  edit?(reference: string, message: Message, signal: AbortSignal): Promise<SendResult>;
  close(): void;
}

/** A type of `[[notify]]`. Its schema, its documentation and the hub derive from `all-targets.ts`. */
export interface NotifyTarget {
  readonly type: string;
  /** One sentence. */
  readonly what: string;
  readonly options: { readonly [name: string]: SinkOption };
  /** Throws `HL_BAD_OPTION` or `HL_WEBHOOK_TARGET` for options that it does not take, and quotes no value. */
  open(options: TargetOptions, name: string): Channel;
}
