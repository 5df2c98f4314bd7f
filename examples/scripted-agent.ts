import { styleText } from "node:util";
import { ask, block, createBus, type Decision, type ToolRun, type TrailStep } from "@hookline/core";

// A scripted agent on a real bus. Run it with `npx node examples/scripted-agent.ts`. Its tool runs nothing; it prints what it would run.
const bus = createBus({ source: "scripted-agent" });
const statuses: string[] = [];

// Guards. The guard with the highest priority runs first. It runs again whenever a later guard rewrites a call that it has passed.
bus.on("tool:before", ({ payload }) => (payload.tool.input.command?.includes("rm -rf") ? block("rm -rf is not for agents") : undefined), {
  name: "no-rm",
  priority: 10,
});
bus.on("tool:before", ({ payload }) => rewrite(`${payload.tool.input.command} --ignore-scripts`, "packages must not run scripts"), {
  name: "safe-install",
  match: "tool.input.command =~ '^npm install' && !tool.input.command contains '--ignore-scripts'",
});
bus.on("tool:before", () => rewrite("rm -rf build", "the alias stands for this command"), {
  name: "aliases",
  match: "tool.input.command == 'clean'",
});
bus.on("tool:before", () => ask("A force push. Are you sure?"), { name: "ask-push", match: "tool.input.command contains 'push --force'" });

// The approver answers when a guard asks. Here it is a script; in an agent it would be its own prompt.
bus.setApprover(() => ({ verdict: "allow", by: "Ann", reason: "Yes, it is my branch." }));

// An observer sees every call when it is over, including calls that never ran.
bus.on("tool:after", ({ payload }) => void statuses.push(payload.status), { name: "count" });

console.log("A scripted agent. Each call goes through the guards; their answers are below it.");
await call("ls src", "no guard objects");
await call("rm -rf /", "a guard blocks it");
await call("npm install left-pad", "a guard rewrites it, and no-rm checks the new command");
await call("clean", "no-rm passes the alias, but not the command it stands for");
await call("git push --force", "a guard asks, and a person answers");
console.log(`\nThe observer of tool:after saw ${statuses.length} calls: ${statuses.join(", ")}.`);
for (const { name, calls, denies } of bus.stats()) console.log(line(name, `calls ${calls}`, `denied ${denies}`));

async function call(command: string, what: string): Promise<void> {
  console.log(`\n${paint("bold", `$ ${command}`)}   ${paint("dim", what)}`);
  const session = { id: "demo" };
  const run = await bus.runTool({ session, tool: { name: "bash", callId: `call-${statuses.length + 1}`, input: { command } } }, (input) => {
    return `would run: ${input.command}`;
  });
  for (const step of run.decision.trail) console.log(trailLine(step));
  console.log(`  ${summary(run)}`);
}

function rewrite(command: string, reason: string) {
  return { args: { command }, reason };
}

function trailLine({ actor, round, action, reason }: TrailStep): string {
  const again = round > 0 ? "checked again" : undefined;
  return line(actor.name, action, [again, reason].filter((text) => text !== undefined).join(": "));
}

function line(who: string, did: string, why = ""): string {
  return `  ${who.padEnd(14)}${paint("dim", did.padEnd(10))}${why}`.trimEnd();
}

function summary({ status, output, error, decision }: ToolRun): string {
  if (status === "blocked") return paint("red", `=> blocked by ${decision.by}: ${error}`);
  return paint("green", `=> ${howAllowed(decision)}; ${output}`);
}

function howAllowed({ modified, verdict, by }: Decision): string {
  if (modified) return "rewritten and allowed";
  return verdict === "allow" ? `allowed by ${by}` : "allowed";
}

function paint(style: "bold" | "dim" | "green" | "red", text: string): string {
  const isColoured = process.stdout.isTTY && !process.env.NO_COLOR;
  return isColoured ? styleText(style, text, { validateStream: false }) : text;
}
