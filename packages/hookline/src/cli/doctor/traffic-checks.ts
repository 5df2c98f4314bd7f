import { existsSync } from "node:fs";
import { editCommand } from "@hookline/core/internal/text";
import { configPath } from "../../config/config-path.js";
import { countText } from "../format/amounts.js";
import { type Check, fail, ok, skip, warn } from "./check.js";

export const trafficChecks: readonly Check[] = [
  {
    id: "config",
    title: "hookline.toml is valid",
    fix: "hookline up --help",
    async look({ env }) {
      const path = configPath(env);
      if (!existsSync(path)) return ok("there is no file, and none is needed");
      const [{ loadConfig }, { formatProblem, repairOf }] = await Promise.all([
        import("../../config/load-config.js"),
        import("../../config/problem.js"),
      ]);
      const { problems, warnings } = await loadConfig(path);
      if (problems.length > 0) return fail(problems.map(formatProblem).join("\n"), repairOf(path, problems).run);
      return warnings.length === 0 ? ok(path) : warn(warnings.map(formatProblem).join("\n"), repairOf(path, warnings).run);
    },
  },
  {
    id: "sinks",
    title: "Every sink accepts events",
    fix: "hookline status",
    async look({ hub, status, env }) {
      if (hub === undefined) return skip("the hub cannot be asked");
      const { sinks: all } = await status();
      const failing = all.filter(({ state }) => state === "failing");
      if (failing.length === 0) return ok(all.length === 0 ? "no sinks" : countText(all.length, "sink"));
      const texts = failing.map(({ name, lastError = "no reason given", behind }) => `${name}: ${lastError} (${behind} behind)`);
      return fail(texts.join("; "), editCommand(configPath(env)));
    },
  },
  {
    id: "drops",
    title: "No process drops events",
    fix: "hookline status",
    async look({ hub, status }) {
      if (hub === undefined) return skip("the hub cannot be asked");
      const { sources: all } = await status();
      const losses = all.flatMap(({ source: { app, pid }, counters, gaps }) => {
        const reasons = Object.entries(counters?.dropped ?? {}).filter(([, count]) => count > 0);
        if (reasons.length === 0 && gaps === 0) return [];
        const why = reasons.map(([reason, count]) => `${reason} ${count}`).join(", ");
        return [`${app} (process ${pid}): ${why === "" ? `${gaps} missing` : why}`];
      });
      return losses.length === 0
        ? ok(all.length === 0 ? "no process is connected" : `${countText(all.length, "process", "processes")} connected`)
        : warn(losses.join("; "));
    },
  },
];
