import { pathToFileURL } from "node:url";
import { type ExtensionAnswer, type ExtensionEvent, runExtension } from "@hookline/core/extension";

/**
 * The program of a hook in JavaScript or TypeScript: loads one module, in a process of its own, and answers the hub's events with its
 * function. An endless loop, a crash or `process.exit` in the module ends this process alone.
 */
const [path = "", exported = "", style = ""] = process.argv.slice(2);

type Handle = (...given: readonly unknown[]) => ExtensionAnswer | Promise<ExtensionAnswer>;
let handle: Handle;

const answer = (event: ExtensionEvent) => (style === "folder" ? handle(event.name, contextOf(event), event) : handle(event));

runExtension<{ [event: string]: unknown }>({
  name: path,
  async onStart() {
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
    throw new Error(`The module "${path}" cannot be loaded: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

function contextOf({ payload, session, value }: ExtensionEvent): object {
  const context: Record<string, unknown> = { ...(payload as object) };
  if (session !== undefined) context.session_id ??= session.id;
  if (value !== undefined) context.value ??= value;
  return context;
}
