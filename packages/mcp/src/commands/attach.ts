import { inertLines, inertText } from "@hookline/core/internal/text";
import type { CommandModule, McpTools, Terminal } from "hookline/internal/mcp";
import { type AttachParts, applyPlan, type ClientPlan, planAttach, planDetach } from "../attach/attach-client.js";
import { type McpClientFile, mcpClients } from "../attach/clients.js";

interface ClientOptions {
  readonly project?: boolean;
  readonly dryRun?: boolean;
}

const VERBS = {
  attach: { plan: planAttach, done: "behind the rules", none: "No server was changed" },
  detach: { plan: planDetach, done: "as before", none: "No server was behind the rules there" },
} as const;

/** `hookline mcp attach <client>` and `hookline mcp detach <client>` */
export function attachCommand(tools: McpTools, verb: keyof typeof VERBS): CommandModule<ClientOptions> {
  const { examples, option, EXIT } = tools;
  return {
    define(command) {
      command
        .argument("<client>", mcpClients.map(({ id }) => id).join(", "), option.text)
        .option("--project", "in the file of this folder, not in the user's")
        .option("--dry-run", "show the change without making it")
        .addHelpText(
          "after",
          verb === "attach"
            ? "\nEach server in the client's settings then starts through `hookline mcp wrap` or `hookline mcp proxy`."
            : "\nRestores the file exactly if it has not changed since; otherwise changes only Hookline's entries.",
        )
        .addHelpText("after", examples(`hookline mcp ${verb} claude-code --dry-run`, `hookline mcp ${verb} cursor --project`));
    },

    async run(terminal, { project = false, dryRun = false }, [id = ""]) {
      const parts = await partsOf(tools, terminal, { id, project });
      const plan = VERBS[verb].plan(parts);
      if (dryRun) {
        const diff = plan.after === plan.before ? "" : tools.format.unifiedDiff(plan.path, plan.before, plan.after).trimEnd();
        terminal.print(diff === "" ? "Nothing would change." : inertLines(diff));
      } else {
        applyPlan(plan, parts);
        terminal.print(plan.path);
      }
      report(plan, { verb, title: parts.client.title, isDone: !dryRun }, terminal);
      return EXIT.ok;
    },
  };
}

async function partsOf(
  { usageError, main, installTools }: McpTools,
  { env }: Terminal,
  { id, project }: { readonly id: string; readonly project: boolean },
): Promise<AttachParts> {
  const client: McpClientFile | undefined = mcpClients.find((one) => one.id === id);
  if (client === undefined)
    throw usageError(`"${inertText(id)}" is not a client that Hookline knows (${mcpClients.map((one) => one.id).join(", ")}).`);
  const path = client.path(project ? "project" : "user", env, process.cwd());
  if (path === undefined) throw usageError(`${client.title} has no such file for one project.`);
  return { client, path, env, own: { command: process.execPath, args: [main] }, tools: await installTools() };
}

function report(
  { changed, left }: ClientPlan,
  { verb, title, isDone }: { readonly verb: keyof typeof VERBS; readonly title: string; readonly isDone: boolean },
  terminal: Terminal,
): void {
  for (const { name, why } of left) terminal.say(`${inertText(name)} stays as it is: ${why}.`);
  if (!isDone) return;
  const names = changed.map(inertText).join(", ");
  terminal.say(
    changed.length === 0
      ? `${VERBS[verb].none}.`
      : `${title}: ${names} ${changed.length === 1 ? "is" : "are"} ${VERBS[verb].done}. Start the client again.`,
  );
  if (verb === "attach" && changed.length > 0)
    terminal.say("Without a hub, every call of these servers is denied. To start it: hookline up --detach");
}
