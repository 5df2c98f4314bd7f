import { appendFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

interface Context {
  readonly session_id?: string;
  readonly status?: string;
  readonly tool?: { readonly name: string; readonly durationMs?: number };
}

const file = process.env.TOOL_LOG ?? join(tmpdir(), "tool-log.txt");

export async function handle(eventType: string, { session_id, status, tool }: Context): Promise<void> {
  await appendFile(file, `${new Date().toISOString()} ${eventType} ${session_id ?? "-"} ${tool?.name} ${status}\n`);
}
