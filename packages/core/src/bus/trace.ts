import { printable } from "../text/inert-text.js";
import { environment } from "./environment.js";
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
  const who = handler.owner === undefined ? handler.name : `${handler.owner}/${handler.name}`;
  const parts = ["hookline trace", event.name, who, call.action, `${call.durationMs.toFixed(2)}ms`];
  if (call.round > 0) parts.push(`round=${call.round}`);
  if (call.failure?.failure !== undefined) parts.push(`failure=${call.failure.failure}`);
  if (call.failure?.failure === "timeout") parts.push(`limit=${handler.timeoutMs}ms`);
  return printable([...parts, ...healthOf(handler)].join(" "));
}

function healthOf({ health }: HandlerInfo): string[] {
  try {
    const now = health?.();
    return now === undefined ? [] : [`health=${now.state}`, `restarts=${now.restarts ?? 0}`];
  } catch {
    return ["health=unknown"];
  }
}
