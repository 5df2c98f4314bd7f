import { block, type ToolPayload } from "@hookline/core";

/** Five guards that read `tool.name` and one field of the input, and eight calls that all of them let pass. */
export interface ToolEvent {
  readonly payload: ToolPayload;
}
type Answer = ReturnType<typeof block> | undefined;

export const payloads: readonly ToolPayload[] = ["ls", "pwd", "git status", "npm test", "cat a", "cat b", "make", "node ."].map(
  (command, index) => ({
    tool: { name: "bash", input: { command, path: `/src/${index}`, url: "", cwd: "/src", user: "agent" } },
  }),
);
/** The same calls as the event objects that a loop of one's own would pass on. */
export const events: readonly ToolEvent[] = payloads.map((payload) => ({ payload }));

// All five read both fields of every call: the name always matches and the field never does.
export const guards: readonly ((event: ToolEvent) => Answer)[] = [
  ({ payload: { tool } }) => (tool.name === "bash" && tool.input.command === "rm -rf /" ? block("no") : undefined),
  ({ payload: { tool } }) => (tool.name === "bash" && tool.input.path === "/etc/passwd" ? block("no") : undefined),
  ({ payload: { tool } }) => (tool.name === "bash" && tool.input.url === "http://10.0.0.1" ? block("no") : undefined),
  ({ payload: { tool } }) => (tool.name === "bash" && tool.input.cwd === "/" ? block("no") : undefined),
  ({ payload: { tool } }) => (tool.name === "bash" && tool.input.user === "root" ? block("no") : undefined),
];

export const asynchronousGuards: readonly ((event: ToolEvent) => Promise<Answer>)[] = [
  async ({ payload: { tool } }) => (tool.name === "bash" && tool.input.command === "rm -rf /" ? block("no") : undefined),
  async ({ payload: { tool } }) => (tool.name === "bash" && tool.input.path === "/etc/passwd" ? block("no") : undefined),
  async ({ payload: { tool } }) => (tool.name === "bash" && tool.input.url === "http://10.0.0.1" ? block("no") : undefined),
  async ({ payload: { tool } }) => (tool.name === "bash" && tool.input.cwd === "/" ? block("no") : undefined),
  async ({ payload: { tool } }) => (tool.name === "bash" && tool.input.user === "root" ? block("no") : undefined),
];
