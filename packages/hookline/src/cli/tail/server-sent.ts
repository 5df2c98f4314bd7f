/** A message of a stream of server-sent events. */
export interface SentEvent {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: string;
}

/** Cuts the text of a stream into messages, however it arrives: https://html.spec.whatwg.org/multipage/server-sent-events.html */
export async function* readSentEvents(chunks: AsyncIterable<string>): AsyncGenerator<SentEvent> {
  let rest = "";
  let fields = new Map<string, string>();
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line.trimEnd() !== "") takeLine(fields, line);
      else {
        if (fields.has("data")) yield { event: fields.get("event") ?? "message", id: fields.get("id"), data: fields.get("data") ?? "" };
        fields = new Map();
      }
    }
  }
}

function takeLine(fields: Map<string, string>, raw: string): void {
  const line = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
  const [, name = "", value = ""] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
  if (name === "") return;
  const before = name === "data" ? fields.get("data") : undefined;
  fields.set(name, before === undefined ? value : `${before}\n${value}`);
}
