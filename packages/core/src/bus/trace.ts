import type { HandlerInfo, HookEvent, Tap, TapCall } from "./types.js";

const ON = /^(1|true|yes|on)$/i;

/** A tap that writes one line per handler call: event, handler, action, time, health. Never the payload. */
export function createTrace(option: boolean | ((line: string) => void) | undefined): Tap | undefined {
  const isOn = option ?? ON.test(environment("HOOKLINE_TRACE"));
  if (isOn === false) return undefined;
  const write = typeof isOn === "function" ? isOn : (line: string) => console.error(line);
  return { returned: (event, handler, call) => write(describe(event, handler, call)) };
}

function describe(event: HookEvent, handler: HandlerInfo, call: TapCall): string {
  const parts = [
    `hookline trace ${event.name} ${handler.owner === undefined ? "" : `${handler.owner}/`}${handler.name} ${call.action} ${call.durationMs.toFixed(2)}ms`,
  ];
  if (call.round > 0) parts.push(`round=${call.round}`);
  if (call.failure?.failure !== undefined) parts.push(`failure=${call.failure.failure}`);
  const health = handler.health?.();
  if (health !== undefined) parts.push(`health=${health.state}`, `restarts=${health.restarts ?? 0}`);
  return parts.join(" ");
}

// The bus runs in browsers too, where there is no process.
function environment(name: string): string {
  const host = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return host.process?.env?.[name] ?? "";
}
