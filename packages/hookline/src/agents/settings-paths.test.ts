import { expect, it } from "vitest";
import { compilePathList } from "../commands/path-list.js";
import { agents } from "./agents.js";

const env = { HOME: "/home/ann" };
const cwd = "/home/ann/app";
const isAgents = compilePathList(["@agents"]);

it.each(agents.map((agent) => [agent.id, agent] as const))("@agents has every file that the hooks of %s depend on", (_, { install }) => {
  const written = install.targets.map((target) => [target, install.settingsPath(target, env, cwd)] as const);
  const switches = written.flatMap(([target, path]) => install.offSwitches?.({ path, target, env }) ?? []);
  const managed = install.managed !== undefined && "path" in install.managed ? [install.managed.path] : [];
  const paths = [...written.map(([, path]) => path), ...switches.map(({ path }) => path), ...managed];
  const projects = (install.projectSwitches?.(cwd) ?? []).map(({ path }) => path);
  expect([...paths, ...projects].filter((path) => isAgents({ path }, { cwd }) !== true)).toEqual([]);
});
