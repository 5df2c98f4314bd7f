import { ask, block, runExtension } from "@hookline/core/extension";

runExtension({
  name: "no-force-push",
  hooks: {
    "tool:before": ({ payload, config }) => {
      const command = payload.tool.input.command ?? "";
      if (!/\bgit push\b.*(?:--force\b|\s-f\b)/.test(command)) return undefined;
      const branch = (config.protected as string[]).find((name) => command.includes(name));
      return branch === undefined ? ask("A force push: are you sure?") : block(`Force pushes to ${branch} are not allowed.`);
    },
  },
});
