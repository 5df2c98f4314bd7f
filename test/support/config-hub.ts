import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Hub, startHub } from "hookline/hub";
import { onTestFinished } from "vitest";
import { putFiles } from "./hook-files.ts";
import { testFolder } from "./test-folder.ts";

export interface ConfigHub {
  readonly hub: Hub;
  readonly home: string;
  /** The folder of `hookline.toml`, in which the user's `hooks/` are. */
  readonly config: string;
  /** What the hub has complained of or remarked. */
  readonly told: readonly string[];
}

/** A hub on a `hookline.toml` and files beside it, closed at the end of the test. */
export async function startConfigHub(
  toml: string,
  files: { readonly [path: string]: string } = {},
  home = testFolder(),
): Promise<ConfigHub> {
  const config = putFiles(join(home, "config"), { ...files, "hookline.toml": toml });
  const [state, runtime] = [join(home, "state"), join(home, "run")];
  for (const folder of [state, runtime]) mkdirSync(folder, { mode: 0o700, recursive: true });
  const told: string[] = [];
  const hub = await startHub({ state, runtime, config: join(config, "hookline.toml"), port: 0, onProblem: (text) => void told.push(text) });
  onTestFinished(() => hub.close());
  return { hub, home, config, told };
}
