import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { canFailClosed } from "../../rules/default-failure.js";
import { deriveSource } from "../derive-source.js";
import { createProcessExtension, type ProcessExtension, type ProcessExtensionOptions } from "../process/process-extension.js";
import type { ProcessProgram } from "../process/program.js";

export interface ModuleSpec extends Pick<ProcessProgram, "name" | "description" | "path" | "permissions" | "hooks" | "check"> {
  /** The absolute path of the module. */
  readonly module: string;
  readonly export: string;
  /** How its function is called: `handle(event)`, or `handle(eventType, context, event)` as in a hook folder. */
  readonly style: "module" | "folder";
}

/** Where the program stands that loads the module; the same file for the sources and for what was built from them. */
const runner = fileURLToPath(new URL("../../../dist/extensions/module/run-module.js", import.meta.url));

/** A function in a file, loaded in a process of its own: what it does there affects no other hook, and not the hub. */
export function createModuleSource(spec: ModuleSpec, options: Omit<ProcessExtensionOptions, "program" | "kind"> = {}): ProcessExtension {
  const { module, export: exported, style, ...program } = spec;
  const source = createProcessExtension({
    ...options,
    kind: style,
    program: {
      path: module,
      ...program,
      command: process.execPath,
      args: [runner, module, exported, style],
      folder: dirname(module),
      framing: "newline",
      config: (_, checked) => ({ ...checked }),
      // A module has no manifest that could name the variables it needs.
      env: Object.keys(process.env),
    },
  });
  return deriveSource(source, { startsEarly: spec.hooks.some(({ event, stage }) => stage !== "observe" && canFailClosed(event)) });
}
