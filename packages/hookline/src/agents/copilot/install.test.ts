import { describe, expect, it } from "vitest";
import { BASH_VARIABLES } from "../shared/bash-variables.js";
import { events } from "./events.js";
import { canPost, hookEntries, hookFile, runsProjectHooks, settingsPath, subscribedEvents } from "./install.js";

const options = { command: (event: string) => `sh /state/attach/copilot.sh ${event}`, timeoutSeconds: () => 30 };

describe("hookEntries", () => {
  it("is a file with a version, and a command for each event", () => {
    const hooks = hookEntries(options);
    expect(hookFile(options)).toEqual({ version: 1, hooks });
    expect(hooks.preToolUse).toEqual([
      { type: "command", bash: "sh /state/attach/copilot.sh preToolUse", env: BASH_VARIABLES, timeoutSec: 30 },
    ]);
    expect(Object.keys(hooks)).toEqual(subscribedEvents());
  });

  it("posts if it may", () => {
    const headers = { authorization: "Bearer $HOOKLINE_TOKEN" };
    const http = { url: (event: string) => `http://127.0.0.1:1/api/agents/copilot/${event}`, headers, allowedEnvVars: ["HOOKLINE_TOKEN"] };
    const url = "http://127.0.0.1:1/api/agents/copilot/agentStop";
    expect(hookEntries({ ...options, http }).agentStop).toEqual([
      { type: "http", url, headers, allowedEnvVars: ["HOOKLINE_TOKEN"], timeoutSec: 30 },
    ]);
  });

  it("leaves out events that report nothing new", () => {
    const silent = ["userPromptTransformed", "preMcpToolCall"];
    expect(subscribedEvents()).toEqual(Object.keys(events).filter((name) => !silent.includes(name)));
  });
});

describe("settingsPath", () => {
  it("is a file of our own", () => {
    expect(settingsPath("user", { HOME: "/home/dev" }, "/srv/project")).toBe("/home/dev/.copilot/hooks/hookline.json");
    expect(settingsPath("user", { HOME: "/home/dev", COPILOT_HOME: "/opt/c" }, "/srv/project")).toBe("/opt/c/hooks/hookline.json");
    expect(settingsPath("project", {}, "/srv/project")).toBe("/srv/project/.github/hooks/hookline.json");
  });
});

describe("the environment", () => {
  it("says whether hooks may post, and whether a project's run without a person", () => {
    expect([canPost({ COPILOT_HOOK_ALLOW_LOCALHOST: "1" }), canPost({})]).toEqual([true, false]);
    expect([runsProjectHooks({ GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS: "true" }), runsProjectHooks({})]).toEqual([true, false]);
  });
});
