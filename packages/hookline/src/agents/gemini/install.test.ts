import { describe, expect, it } from "vitest";
import { BASH_VARIABLES } from "../shared/bash-variables.js";
import { events } from "./events.js";
import { hookEntries, isSwitchedOff, settingsPath, subscribedEvents } from "./install.js";

const options = {
  command: (event: string) => `sh /state/attach/gemini.sh ${event}`,
  timeoutSeconds: (event: string) => (event === "BeforeTool" ? 600 : 5),
};

describe("hookEntries", () => {
  it("is a command with its time in milliseconds", () => {
    const hook = {
      type: "command",
      name: "hookline",
      command: "sh /state/attach/gemini.sh BeforeTool",
      env: BASH_VARIABLES,
      timeout: 600_000,
    };
    expect(hookEntries(options).BeforeTool).toEqual([{ hooks: [hook] }]);
  });

  it("receives only the compression that the user requests: the other fires before every model call", () => {
    expect(hookEntries(options).PreCompress).toMatchObject([{ matcher: "manual", hooks: [{ timeout: 5000 }] }]);
  });

  it("leaves the costly ones alone, unless asked for", () => {
    const costly = ["BeforeModel", "AfterModel", "BeforeToolSelection"];
    expect(subscribedEvents()).toEqual(Object.keys(events).filter((name) => !costly.includes(name)));
    expect(Object.keys(hookEntries(options, ["BeforeModel"]))).toContain("BeforeModel");
  });
});

describe("settingsPath", () => {
  it("is the person's or the project's", () => {
    expect(settingsPath("user", { HOME: "/home/dev" }, "/srv/project")).toBe("/home/dev/.gemini/settings.json");
    expect(settingsPath("user", { HOME: "/home/dev", GEMINI_CLI_HOME: "/opt/g" }, "/srv/project")).toBe("/opt/g/.gemini/settings.json");
    expect(settingsPath("project", { HOME: "/home/dev" }, "/srv/project")).toBe("/srv/project/.gemini/settings.json");
  });
});

describe("isSwitchedOff", () => {
  it("knows both switches", () => {
    expect(isSwitchedOff({ hooksConfig: { enabled: false } })).toBe(true);
    expect(isSwitchedOff({ hooksConfig: { disabled: ["hookline"] } })).toBe(true);
    for (const settings of [undefined, {}, { hooksConfig: {} }, { hooksConfig: { enabled: true, disabled: ["other"] } }])
      expect(isSwitchedOff(settings)).toBe(false);
  });
});
