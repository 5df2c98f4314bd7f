/** What became of the body of an answer. `isResumable`: it was a stream with ids, which the transport continues by itself. */
interface BodyEnd {
  readonly why: string;
  readonly isResumable: boolean;
}

export interface WatchedBodyOptions {
  /** The longest message. */
  readonly maxBytes: number;
  readonly onEnd: (end: BodyEnd) => void;
}

const NEWLINE = 10;

/** The answer with a body that tells how it ended, and ends at a message that is too long. */
export function watchBody(response: Response, { maxBytes, onEnd }: WatchedBodyOptions): Response {
  const { body } = response;
  if (body === null) return response;
  const isStream = response.headers.get("content-type")?.includes("text/event-stream") === true;
  const reader = body.getReader();
  let length = 0;
  let isResumable = false;
  let isCancelled = false;
  const watched = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) {
          // A stream that its reader has cancelled is closed.
          if (!isCancelled) controller.close();
          return onEnd({ why: "It ended its answer early.", isResumable });
        }
        isResumable ||= isStream && /^id:/m.test(Buffer.from(value).toString("latin1"));
        const lineEnd = isStream ? value.lastIndexOf(NEWLINE) : -1;
        length = lineEnd < 0 ? length + value.length : value.length - lineEnd;
        if (length > maxBytes) throw new Error(`It sent a message of more than ${maxBytes / 1024 / 1024} MiB, which was dropped.`);
        controller.enqueue(value);
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        controller.error(error);
        void reader.cancel().catch(() => {});
        onEnd({ why, isResumable });
      }
    },
    cancel(reason) {
      isCancelled = true;
      return reader.cancel(reason);
    },
  });
  return new Response(watched, { status: response.status, statusText: response.statusText, headers: response.headers });
}
