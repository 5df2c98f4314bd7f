// Appends batches of lines, as one of many processes: write-lines.ts <path> <writer> <lines> <options as JSON>
import { createJsonlSink, type Envelope, type JsonlSinkOptions } from "@hookline/core/sinks";

const [path = "", writer = "", lines = "", options = "{}"] = process.argv.slice(2);
const sink = createJsonlSink({ path, ...(JSON.parse(options) as JsonlSinkOptions) });
const envelopeAt = (index: number): Envelope => ({
  v: 2,
  id: `${writer}-${index}`,
  seq: index + 1,
  at: new Date().toISOString(),
  event: "myapp:written",
  source: { app: "writer", host: "", pid: process.pid, instance: writer },
  payload: { text: "é".repeat((index * 37) % 900) },
  hops: [],
});

let sent = 0;
for (let index = 0; index < Number(lines); ) {
  const batch = Array.from({ length: Math.min(1 + (index % 7), Number(lines) - index) }, (_, offset) => envelopeAt(index + offset));
  const result = await sink.send(batch, new AbortController().signal);
  if (result.status !== "sent") {
    console.log(JSON.stringify({ sent, status: result.status, code: (result.cause as { code?: string }).code }));
    break;
  }
  sent += batch.length;
  index += batch.length;
  // Lets other processes come between.
  await new Promise((resolve) => setImmediate(resolve));
}
await sink.close();
console.log(JSON.stringify({ sent }));
