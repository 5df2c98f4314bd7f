import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, realpathSync } from "node:fs";
import { type LoadFnOutput, registerHooks } from "node:module";
import { join, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type ExtensionAnswer, type ExtensionEvent, runExtension } from "@hookline/core/extension";
import type { CheckedFiles } from "../handler-source.js";

/**
 * The program of a hook in JavaScript or TypeScript: loads one module, in a process of its own, and answers the hub's events with its
 * function. An endless loop, a crash or `process.exit` in the module ends this process alone.
 */
const [path = "", exported = "", style = ""] = process.argv.slice(2);

type Handle = (...given: readonly unknown[]) => ExtensionAnswer | Promise<ExtensionAnswer>;
let handle: Handle;

const NOTHING = {};
const answer = (event: ExtensionEvent) =>
  style === "folder" ? handle(event.name, contextOf(event), asGiven(event)) : handle(asGiven(event));

runExtension<{ [event: string]: unknown }>({
  name: path,
  async onStart({ config }) {
    if ("hashes" in config) loadOnly(config as unknown as CheckedFiles);
    handle = await load();
  },
  hooks: { "*": answer },
});

async function load(): Promise<Handle> {
  const loaded = await importModule();
  const found = loaded[exported];
  if (typeof found === "function") return found as Handle;
  throw new Error(`The module "${path}" exports no function "${exported}"; it exports ${Object.keys(loaded).join(", ") || "nothing"}.`);
}

async function importModule(): Promise<{ readonly [name: string]: unknown }> {
  try {
    return (await import(pathToFileURL(path).href)) as { readonly [name: string]: unknown };
  } catch (cause) {
    throw new Error(`The module "${path}" cannot be loaded: ${whatAndWhere(cause)}`, { cause });
  }
}

const PLACE = /^(\S.*):(\d+)$/m;

/**
 * Where a syntax error is. Node writes that above the stack, as `file:///…/guard.mjs:3`, but of a syntax error in JavaScript only where
 * nothing catches it.
 */
function whatAndWhere(cause: unknown): string {
  if (!(cause instanceof SyntaxError)) return cause instanceof Error ? cause.message : String(cause);
  const check = () => spawnSync(process.execPath, ["--check", path], { encoding: "utf8" }).stderr;
  const [, file, line] = PLACE.exec(cause.stack ?? "") ?? PLACE.exec(check()) ?? [];
  if (file === undefined) return cause.message;
  return `${cause.message} (${file.startsWith("file:") ? fileURLToPath(file) : file}:${line})`;
}

/**
 * From here on, a file of the hook is evaluated only from bytes with the hash that was accepted: a file that is exchanged after the hub's
 * check never runs. Packages that the hook imports by name from outside its files are loaded as usual.
 */
function loadOnly({ root, isWhole, hashes }: CheckedFiles): void {
  const listed = new Map(Object.entries(hashes).flatMap(([name, hash]) => locationsOf(join(root, name)).map((at) => [at, hash])));
  const packages = new Set<string>();

  function verified(file: string): Buffer {
    const content = readFileSync(file);
    if (createHash("sha256").update(content).digest("hex") !== listed.get(file))
      throw new Error(`The file "${file}" was changed after it was checked, so it was not loaded.`);
    return content;
  }

  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      const isPath = /^(\.{0,2}\/|\.{1,2}$|file:)/.test(specifier);
      if (!isPath || (context.parentURL !== undefined && packages.has(context.parentURL))) packages.add(found.url);
      return found;
    },
    load(url, context, next): LoadFnOutput {
      if (!url.startsWith("file:")) return next(url, context);
      const file = fileURLToPath(url);
      if (listed.has(file)) return { ...next(url, context), source: verified(file), shortCircuit: true };
      if (!packages.has(url) || (isWhole && file.startsWith(root + sep)))
        throw new Error(`The file "${file}" is not among the accepted files of the hook, so it was not loaded. Name it in an import.`);
      return next(url, context);
    },
  });
}

/** Node loads a linked file under the path that the link leads to. */
function locationsOf(file: string): string[] {
  try {
    return [...new Set([file, realpathSync(file)])];
  } catch {
    return [file];
  }
}

/** The configuration of this process is not the module's. */
function asGiven(event: ExtensionEvent): ExtensionEvent {
  return { ...event, config: NOTHING };
}

function contextOf({ payload, session, value }: ExtensionEvent): object {
  const context: Record<string, unknown> = { ...(payload as object) };
  if (session !== undefined) context.session_id ??= session.id;
  if (value !== undefined) context.value ??= value;
  return context;
}
