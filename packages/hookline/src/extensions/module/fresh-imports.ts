import { registerHooks } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

const KEY = "hookline";
let isRegistered = false;
let loads = 0;

/** The address of a module as it is now on disk, and of everything it imports from its own folder. Node keeps what it has loaded, also what failed. */
export function freshUrl(file: URL): URL {
  if (!isRegistered) registerHooks({ resolve: passOn });
  isRegistered = true;
  const url = new URL(file);
  url.searchParams.set(KEY, String(++loads));
  return url;
}

type Resolve = NonNullable<Parameters<typeof registerHooks>[0]["resolve"]>;

const passOn: Resolve = (specifier, context, next) => {
  const found = next(specifier, context);
  const load = loadOf(context.parentURL);
  if (load === undefined || !found.url.startsWith("file:") || loadOf(found.url) !== undefined) return found;
  const url = new URL(found.url);
  if (!isBelow(url, new URL(context.parentURL ?? ""))) return found;
  url.searchParams.set(KEY, load);
  return { ...found, url: url.href };
};

function loadOf(url: string | undefined): string | undefined {
  return url?.startsWith("file:") ? (new URL(url).searchParams.get(KEY) ?? undefined) : undefined;
}

/** What is installed for it, or belongs to somebody else, stays as it is. */
function isBelow(url: URL, parent: URL): boolean {
  const path = fileURLToPath(url);
  return path.startsWith(dirname(fileURLToPath(parent))) && !path.includes("/node_modules/");
}
