import { basename } from "node:path";

/** Programs that start another one: the server's name is that of what they start. */
const RUNNERS = new Set(["npx", "bunx", "pnpx", "uvx", "pipx", "node", "bun", "deno", "python", "python3", "uv", "docker", "sh", "bash"]);
const VERBS = new Set(["run", "exec", "x", "dlx", "-m"]);

/** A name for a server that was given none: its program's, or that of the first argument of a runner such as npx. */
export function nameOfCommand([command = "", ...args]: readonly string[]): string {
  const program = bare(command);
  const first = RUNNERS.has(program) ? args.find((arg) => !arg.startsWith("-") && !VERBS.has(arg)) : undefined;
  return serverName(first === undefined ? program : bare(first));
}

export function nameOfUrl(url: URL): string {
  return serverName(url.hostname);
}

/** The characters that agents keep in the names of servers. */
export function serverName(text: string): string {
  return text.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 64) || "server";
}

function bare(word: string): string {
  return basename(word.replace(/@[\d^~][^/]*$/, "")).replace(/\.(exe|cmd|bat|mjs|cjs|js|ts|py|sh)$/i, "");
}
