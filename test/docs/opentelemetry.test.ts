import { expect, it } from "vitest";
import { parseConfig } from "../../packages/hookline/src/config/load-config.ts";
import { createOtlpSink } from "../../packages/otlp/src/otlp-sink.ts";
import { read } from "./repository.ts";

const blocks = [...read("docs/opentelemetry.md").matchAll(/^```toml\n([\s\S]*?)^```$/gm)].map(([, text = ""]) => text);

it("docs/opentelemetry.md has a recipe for each service", () => {
  const names = blocks.map((text) => /^name = "(.*)"$/m.exec(text)?.[1]);
  expect(names).toEqual([undefined, "grafana-cloud", "alloy", "datadog", "honeycomb", "langfuse"]);
});

it.each(blocks)("works as written: %s", async (text) => {
  const { config, problems } = await parseConfig(text, "/tmp/hookline.toml");
  expect(problems).toEqual([]);
  const [sink] = config?.sinks ?? [];
  const headers = Object.fromEntries(Object.keys((sink?.options.headers ?? {}) as object).map((name) => [name, "secret"]));
  const opened = createOtlpSink({ ...sink?.options, headers, env: {}, isContinued: true });
  await opened.close();
});
