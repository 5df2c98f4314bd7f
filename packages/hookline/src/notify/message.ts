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

/** The message as plain text, for services without a format of their own. A text that is too long for the service loses its end, but not its link. */
export function plainText({ title, text, link }: Message, maxChars = Number.POSITIVE_INFINITY): string {
  const told = [title, text].filter((part) => part !== "").join("\n");
  return link === undefined ? shortened(told, maxChars) : `${shortened(told, maxChars - link.length - 1)}\n${link}`;
}

export function shortened(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, Math.max(0, maxChars - 1))}…`;
}
