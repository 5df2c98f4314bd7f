import { statSync } from "node:fs";
import { join } from "node:path";
import { findAgent } from "../../agents/agents.js";
import { effectiveHook } from "../../agents/attach/effective-hooks.js";
import { readInstalled } from "../../agents/install/installed.js";

/**
 * How long an agent waits for its hook, according to the file that it reads now: the user may have changed what `attach` wrote. Undefined if no file
 * has a hook for the event. Files are read again only after they have changed.
 */
export function createHookTimeouts(folder: string): (agent: string, native: string) => number | undefined {
  const kept = new Map<string, { readonly version: string; readonly value: unknown }>();

  function once<T>(path: string, key: string, read: () => T): T {
    const version = versionOf(path);
    const known = kept.get(key);
    if (known?.version === version) return known.value as T;
    const value = read();
    kept.set(key, { version, value });
    return value;
  }

  return (agent, native) => {
    const definition = findAgent(agent);
    if (definition === undefined || !Object.hasOwn(definition.events, native)) return undefined;
    const paths = once(join(folder, "installed.json"), "", () =>
      quietly(() => readInstalled(folder).map(({ agent: of, path, scope }) => ({ of, path, scope }))),
    );
    const found = (paths ?? []).flatMap(({ of, path, scope }) => {
      if (of !== agent) return [];
      const hook = once(path, `${path}\0${native}`, () => quietly(() => effectiveHook(definition, { path, scope }, native, folder)));
      return hook === undefined ? [] : [hook.timeoutMs];
    });
    return found.length === 0 ? undefined : Math.min(...found);
  };
}

function versionOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false, bigint: true });
  return stats === undefined ? "" : `${stats.mtimeNs} ${stats.size} ${stats.ino}`;
}

/** An agent whose file cannot be read runs no hook. */
function quietly<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
