// Prints events to stdout: print-events.ts <events>. Says on stderr how it went.
import { createBus } from "@hookline/core";
import { connectSink, createStdoutSink } from "@hookline/core/sinks";

const bus = createBus({ source: "printer", onError: () => {} });
try {
  const connection = connectSink(bus, createStdoutSink());
  for (let index = 0; index < Number(process.argv[2]); index++) bus.emit("myapp:counted", { index, text: "a\nb" });
  const { accepted, sent, dropped } = await connection.close();
  console.error(JSON.stringify({ accepted, sent, dropped }));
} catch (error) {
  console.error(JSON.stringify({ code: (error as { code: string }).code }));
}
