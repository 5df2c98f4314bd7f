/** Keeps the end of a process's output, and counts all of it. */
export interface OutputTail {
  readonly bytes: number;
  push(chunk: Buffer): void;
  /** The kept output as text. */
  text(): string;
}

export function createOutputTail(capacity: number): OutputTail {
  const ring = Buffer.alloc(capacity);
  let bytes = 0;
  return {
    get bytes() {
      return bytes;
    },
    push(chunk) {
      const kept = chunk.subarray(Math.max(0, chunk.length - capacity));
      const at = (bytes + chunk.length - kept.length) % capacity;
      const first = kept.copy(ring, at);
      kept.copy(ring, 0, first);
      bytes += chunk.length;
    },
    text() {
      if (bytes <= capacity) return ring.toString("utf8", 0, bytes);
      const at = bytes % capacity;
      return Buffer.concat([ring.subarray(at), ring.subarray(0, at)]).toString("utf8");
    },
  };
}
