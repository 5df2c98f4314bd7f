import { signal } from "@preact/signals";
import { apiErrorOf } from "../api/api-error.js";

interface Notice {
  readonly id: number;
  readonly kind: "good" | "denied" | "bad";
  readonly text: string;
  readonly fix?: string | undefined;
}

const SHOWN_MS = 6_000;
let last = 0;

/** What happened just now, for a few seconds. */
export const notices = signal<readonly Notice[]>([]);

export function say(
  text: string,
  { kind = "good", fix }: { readonly kind?: Notice["kind"]; readonly fix?: string | undefined } = {},
): void {
  const id = ++last;
  // Said once more, it is still one thing.
  notices.value = [...notices.value.filter((notice) => notice.text !== text).slice(-2), { id, kind, text, fix }];
  setTimeout(() => dismiss(id), SHOWN_MS);
}

export function sayError(thrown: unknown): void {
  const { message, fix } = apiErrorOf(thrown);
  say(message, { kind: "bad", fix });
}

export function dismiss(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}
