import type { HookEvent } from "@hookline/core";

/** Claude Code's names for our events. */
const names: { readonly [event: string]: string } = {
  "session:start": "SessionStart",
  "session:end": "SessionEnd",
  "session:error": "StopFailure",
  "prompt:submit": "UserPromptSubmit",
  "tool:before": "PreToolUse",
  "tool:result": "PostToolUse",
  "tool:after": "PostToolUse",
  "permission:asked": "PermissionRequest",
  "finish:before": "Stop",
  "worker:spawned": "SubagentStart",
  "worker:completed": "SubagentStop",
  "compact:before": "PreCompact",
  "compact:after": "PostCompact",
  "notification:sent": "Notification",
};

/** And back, for its settings: events it has under two names, and those it alone has. */
export const claudeEvents: ReadonlyMap<string, string> = new Map([
  ...Object.entries(names).map(([event, name]): [string, string] => [name, event]),
  ["PostToolUse", "tool:after"],
  ["PostToolUseFailure", "tool:after"],
]);

export function claudeName({ name, payload }: HookEvent): string {
  if (name === "tool:after" && (payload as { readonly status?: unknown }).status === "error") return "PostToolUseFailure";
  return names[name] ?? name.replace(/(?:^|[:_.-])(\w)/g, (_, letter: string) => letter.toUpperCase());
}
