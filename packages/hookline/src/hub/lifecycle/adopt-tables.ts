import { withFix } from "@hookline/core/internal";
import type { Config, LoadedConfig } from "../../config/config.js";
import type { OpenSinks } from "../sinks/open-sinks.js";
import type { Retention } from "../store/retention-schedule.js";

export interface Tables {
  /** What the hub was started with. */
  readonly config: Config;
  readonly sinks: Pick<OpenSinks, "adopt">;
  readonly retention: Pick<Retention, "adopt">;
  readonly onProblem: (text: string) => void;
}

/** Takes what a changed `hookline.toml` says besides rules and hooks. A table that is wrong stays as it was. */
export function adoptTables({ path, config: next, problems }: LoadedConfig, { config, sinks, retention, onProblem }: Tables): void {
  if (next === undefined) return;
  const isWrong = (tables: RegExp): boolean => problems.some(({ key }) => tables.test(key));
  if (isWrong(/^(sink|redact)\b/)) onProblem(`${path}: because of that, the sinks stay as they were.`);
  else sinks.adopt(next.sinks);
  if (!isWrong(/^retention\b/)) retention.adopt(next.retention);
  if (JSON.stringify(next.hub) !== JSON.stringify(config.hub))
    onProblem(withFix(`${path}: [hub] counts from the next start.`, { run: "hookline down && hookline up" }));
}
