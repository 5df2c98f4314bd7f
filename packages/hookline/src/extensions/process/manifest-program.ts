import { didYouMean } from "@hookline/core/internal/text";
import { extensionError } from "./failures.js";
import type { ExtensionManifest } from "./manifest.js";
import type { ProcessProgram } from "./program.js";

type Settings = { readonly [key: string]: unknown };

/** The program of a manifest, with the user's settings for it. */
export function programOf(manifest: ExtensionManifest, settings: Settings = {}): ProcessProgram {
  const { name, description, file, permissions, hooks, command, args, folder, framing, env } = manifest;
  return {
    name,
    path: file,
    permissions,
    hooks,
    command,
    args,
    folder,
    env,
    config: (environment) => resolveSettings(manifest, settings, environment),
    ...(description !== undefined && { description }),
    ...(framing !== undefined && { framing }),
  };
}

/** The complete settings: the user's, the environment's, then the defaults. Throws `HL_EXTENSION_CONFIG`. */
function resolveSettings(
  { name, config }: ExtensionManifest,
  settings: Settings,
  environment: { readonly [name: string]: string | undefined },
): Settings {
  const unknown = Object.keys(settings).find((key) => !Object.hasOwn(config, key));
  if (unknown !== undefined)
    throw extensionError(name, "HL_EXTENSION_CONFIG", `has no setting "${unknown}".${didYouMean(unknown, Object.keys(config))}`);
  const resolved: [string, unknown][] = [];
  for (const [key, { required, secretEnv, default: fallback }] of Object.entries(config)) {
    const value = Object.hasOwn(settings, key) ? settings[key] : secretEnv === undefined ? fallback : environment[secretEnv];
    if (value !== undefined) resolved.push([key, value]);
    else if (required === true)
      throw extensionError(
        name,
        "HL_EXTENSION_CONFIG",
        `needs the setting "${key}"${secretEnv === undefined ? "." : `: set ${secretEnv} in the environment.`}`,
      );
  }
  return Object.fromEntries(resolved);
}
