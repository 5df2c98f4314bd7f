import { type Approver, ask, type Bus, block } from "@hookline/core";

/** Answers in place of a person, as in every demo that nobody takes part in. */
export const scriptedPerson: Approver = () => ({ verdict: "allow", by: "Ann", reason: "Yes, it is my branch." });

/** The policy of the scripted agent. The guard with the higher priority looks first, and again whenever a later one rewrites what it has passed. */
export function addGuards(bus: Bus): void {
  bus.on("tool:before", ({ payload }) => (payload.tool.input.command?.includes("rm -rf") ? block("rm -rf is not for agents") : undefined), {
    name: "no-rm",
    priority: 10,
  });
  bus.on("tool:before", ({ payload }) => rewrite(`${payload.tool.input.command} --ignore-scripts`, "packages must not run scripts"), {
    name: "safe-install",
    match: "tool.input.command =~ '^npm install' && !tool.input.command contains '--ignore-scripts'",
  });
  bus.on("tool:before", () => rewrite("rm -rf build", "that is what the alias means"), {
    name: "aliases",
    match: "tool.input.command == 'clean'",
  });
  bus.on("tool:before", () => ask("A force push. Are you sure?"), {
    name: "ask-push",
    match: "tool.input.command contains 'push --force'",
  });
}

function rewrite(command: string, reason: string) {
  return { args: { command }, reason };
}
