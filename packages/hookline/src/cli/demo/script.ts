import type { SessionRef, ToolRun } from "@hookline/core";
import type { Stage } from "./stage.js";

/** What the scripted agent does: a session with a prompt, streamed text, calls of every fate, and a subagent. */
export async function playScript(stage: Stage, session: SessionRef): Promise<void> {
  const { bus } = stage;
  const agent = { name: "demo-agent", model: "scripted" };
  await bus.decide("session:start", { session, agent, cwd: "/demo" });
  const prompt = "Tidy up the build and publish the fix.";
  stage.tell(`A person asks: ${prompt}`);
  await bus.decide("prompt:submit", { session, prompt });
  bus.emit("agent:start", { session, agent, prompt });
  await stage.speak(session, "I will look around first, then install what is missing, and let a helper read the log.");

  await stage.call(session, "git status --short", "nobody objects");
  await stage.call(session, "npm install left-pad", "a guard rewrites it, and no-rm looks again at what will run");
  await playSubagent(stage, { id: `${session.id}-log`, parentId: session.id }, session);
  await stage.call(session, "clean", "a rewrite cannot slip past: no-rm passed the alias, but not what it means");
  const push = await stage.call(session, "git push --force", "a guard asks a person about it");

  await stage.speak(session, closingWords(push));
  bus.emit("turn:end", { session, usage: { inputTokens: 1834, outputTokens: 212, costUsd: 0.0087 } });
  bus.emit("agent:end", { session, reason: "finished" });
  bus.emit("session:end", { session, reason: "finished" });
}

function closingWords({ status, decision }: ToolRun): string {
  if (status === "blocked") return "Done, but the fix is not published: the push was denied. Nothing was deleted.";
  return decision.modified ? "Done, with your command in place of the push." : "Done: the fix is published, and nothing was deleted.";
}

async function playSubagent(stage: Stage, session: SessionRef, parent: SessionRef): Promise<void> {
  const { bus } = stage;
  const worker = { id: session.id, name: "log-reader", task: "find the error in build.log" };
  stage.tell("\nA subagent starts, with a session of its own.");
  await bus.decide("worker:spawned", { session: parent, worker });
  await bus.decide("session:start", { session, worker });
  await stage.call(session, "grep -n ERROR build.log", "the subagent's first call");
  await stage.call(session, "rm -rf /", "the same guards hold for a subagent");
  bus.emit("session:end", { session, reason: "finished" });
  bus.emit("worker:completed", { session: parent, worker: { ...worker, status: "completed" } });
}
