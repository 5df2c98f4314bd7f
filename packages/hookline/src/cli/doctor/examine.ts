import { errorText } from "@hookline/core/internal/machine";
import { accessChecks } from "./access-checks.js";
import { agentChecks } from "./agent-checks.js";
import { agentFileChecks } from "./agent-file-checks.js";
import type { Check, CheckState } from "./check.js";
import { environmentChecks } from "./environment-checks.js";
import { folderChecks } from "./folder-checks.js";
import { hookChecks } from "./hook-checks.js";
import { hubChecks } from "./hub-checks.js";
import { createScene } from "./scene.js";
import { storeChecks } from "./store-checks.js";
import { trafficChecks } from "./traffic-checks.js";

export interface Diagnosis {
  readonly id: string;
  readonly title: string;
  readonly state: CheckState;
  readonly detail: string;
  /** The command that mends it, should it need mending. */
  readonly fix: string;
}

const checks: readonly Check[] = [
  ...environmentChecks,
  ...folderChecks,
  ...hubChecks,
  ...accessChecks,
  ...storeChecks,
  ...trafficChecks,
  ...hookChecks,
  ...agentFileChecks,
  ...agentChecks,
];

/** Looks at everything; one check that fails to look does not hide the others. */
export async function examine(env: NodeJS.ProcessEnv): Promise<readonly Diagnosis[]> {
  const scene = await createScene(env);
  return Promise.all(
    checks.map(async ({ id, title, mend, look }) => {
      try {
        const { state, detail, fix = mend } = await look(scene);
        return { id, title, state, detail, fix };
      } catch (error) {
        return { id, title, state: "fail" as const, detail: `could not be looked at: ${errorText(error)}`, fix: mend };
      }
    }),
  );
}
