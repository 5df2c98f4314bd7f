import type { Envelope } from "@hookline/core/sinks";

/** What a person is told, before a service's own format is applied. */
export interface Message {
  /** One line. */
  readonly title: string;
  /** Some lines of plain text. */
  readonly text: string;
  /** Opens the dashboard on the call. It needs a passkey there. */
  readonly link?: string | undefined;
  /** A call waits for an answer. */
  readonly isUrgent: boolean;
  /** What it is about, without secrets, for templates. Of a digest, the newest event. */
  readonly about?: Pick<Envelope, "event" | "payload" | "session" | "source"> | undefined;
}

/** The message as plain text, for services without a format of their own. */
export function plainText({ title, text, link }: Message): string {
  return [title, text, ...(link === undefined ? [] : [link])].filter((part) => part !== "").join("\n");
}
