import { existsSync } from "node:fs";
import { join } from "node:path";
import { createBus } from "@hookline/core";
import { onTestFinished } from "vitest";
import { parseConfig } from "../../packages/hookline/src/config/load-config.ts";
import { findHooks } from "../../packages/hookline/src/extensions/installed/find-hooks.ts";
import { createTrust } from "../../packages/hookline/src/extensions/trust/trust.ts";
import { createCarriedCounts } from "../../packages/hookline/src/hub/handlers/carried-counts.ts";
import { createHooksOnBus } from "../../packages/hookline/src/hub/policy/hooks-on-bus.ts";
import { createProjectScopes } from "../../packages/hookline/src/hub/policy/project-scopes.ts";
import { ruleRegex } from "../../packages/hookline/src/rules/regex/rule-regex.ts";
import { call, putFiles } from "./hook-files.ts";
import { testFolder } from "./test-folder.ts";

type Files = { readonly [path: string]: string };

/** A board of hooks over real files, which are looked at only when somebody says so. */
export function openBoard(files: Files, toml = "") {
  const home = putFiles(testFolder(), files);
  const problems: string[] = [];
  const onProblem = (text: string) => void problems.push(text);
  const bus = createBus({ source: "hub", onAsk: "return", regex: ruleRegex, onError: ({ message }) => onProblem(message) });
  const board = createHooksOnBus({
    bus,
    scopes: createProjectScopes(),
    counts: createCarriedCounts(bus),
    onProblem,
    onError: ({ message }) => onProblem(message),
    onNotify: () => {},
  });
  onTestFinished(() => board.close());
  return {
    home,
    bus,
    problems,
    write: (more: Files) => void putFiles(home, more),
    has: (path: string) => existsSync(join(home, path)),
    /** Says whether anything is different. */
    async adopt(): Promise<boolean> {
      const { config } = await parseConfig(toml, join(home, "hookline.toml"));
      const where = { folder: join(home, "hooks"), trust: createTrust(join(home, "state")), projects: [] };
      return (await board.prepare(await findHooks({ config: config?.hooks ?? [], ...where })))(false);
    },
    /** Why a call is denied; nothing when it is not. */
    reason: async (payload: object = call()) => (await bus.decide("tool:before", payload as never)).reason,
    close: () => board.close(),
  };
}

/** The process that a `denyingProgram` says it is. */
export function pidIn(reason: string | undefined): number {
  return Number(/^\d+/.exec(reason ?? "")?.[0] ?? Number.NaN);
}
