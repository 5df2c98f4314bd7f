// `node scripts/nats-server.ts`: prints the path of a nats-server for the fleet's tests, and gets one if the machine has none. It needs no
// root: a private root of apt uses the machine's own sources with the suite changed, because the stable suite's server is too old.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The first version with atomic batches. */
const MIN_VERSION = [2, 12] as const;
/** The suites that carry a new one. */
const SUITES = ["testing", "unstable"];
const SOURCES = "/etc/apt";

export type NatsServer = { readonly program: string } | { readonly missing: string };

/** `NATS_SERVER`, else a new enough one on the PATH, else the one in the cache folder, else one that apt fetches. */
export function getNatsServer(env: NodeJS.ProcessEnv = process.env): NatsServer {
  const named = env.NATS_SERVER;
  if (named !== undefined && named !== "") {
    const fault = versionFault(named);
    return fault === undefined ? { program: named } : { missing: `NATS_SERVER: ${fault}` };
  }
  const cache = join(env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "hookline-tests", "nats-server");
  const onPath = (env.PATH ?? "").split(delimiter).map((folder) => join(folder, "nats-server"));
  const found = [...onPath, join(cache, "usr", "sbin", "nats-server"), join(cache, "usr", "bin", "nats-server")].find(
    (program) => existsSync(program) && versionFault(program) === undefined,
  );
  if (found !== undefined) return { program: found };
  try {
    return fetchServer(cache);
  } catch (error) {
    return { missing: `no nats-server on the PATH, and apt could not get one: ${shortOf(error)}` };
  }
}

function versionFault(program: string): string | undefined {
  try {
    const text = execFileSync(program, ["--version"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    const [, major = 0, minor = 0] = (/v?(\d+)\.(\d+)\./.exec(text) ?? []).map(Number);
    return major > MIN_VERSION[0] || (major === MIN_VERSION[0] && minor >= MIN_VERSION[1]) ? undefined : `${program} is ${text.trim()}`;
  } catch (error) {
    return `${program} does not run: ${shortOf(error)}`;
  }
}

function fetchServer(cache: string): NatsServer {
  mkdirSync(join(cache, ".."), { recursive: true });
  const root = mkdtempSync(`${cache}-`);
  try {
    for (const suite of SUITES) {
      const unpacked = fetchFrom(root, suite);
      if (unpacked === undefined) continue;
      // Another process may have been faster.
      if (!existsSync(cache)) renameSync(unpacked, cache);
      const program = ["sbin", "bin"].map((folder) => join(cache, "usr", folder, "nats-server")).find((path) => existsSync(path));
      if (program !== undefined) return { program };
    }
    return { missing: `the machine's package sources have no nats-server ${MIN_VERSION.join(".")} or later` };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** The folder with the unpacked package; `undefined` if this suite's is too old. Throws if apt fails. */
function fetchFrom(root: string, suite: string): string | undefined {
  const folder = join(root, suite);
  for (const path of ["lists/partial", "cache/archives/partial", "sources", "unpacked"]) mkdirSync(join(folder, path), { recursive: true });
  writeSources(join(folder, "sources"), suite);
  const options = [
    `Dir::State::lists=${join(folder, "lists")}`,
    `Dir::Cache=${join(folder, "cache")}`,
    "Dir::Etc::sourcelist=/dev/null",
    `Dir::Etc::sourceparts=${join(folder, "sources")}`,
    "Dir::Etc::preferencesparts=/dev/null",
    "APT::Sandbox::User=",
    "Acquire::Languages=none",
  ].flatMap((option) => ["-o", option]);
  const apt = (...args: string[]): string =>
    execFileSync("apt-get", [...options, "-q", ...args], { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  apt("update");
  // apt checks the sum of what it downloads against the signed list.
  apt("download", "nats-server");
  const file = readdirSync(folder).find((name) => name.endsWith(".deb"));
  if (file === undefined) return undefined;
  const unpacked = join(folder, "unpacked");
  execFileSync("dpkg", ["-x", join(folder, file), unpacked]);
  const program = ["sbin", "bin"].map((name) => join(unpacked, "usr", name, "nats-server")).find((path) => existsSync(path));
  return program !== undefined && versionFault(program) === undefined ? unpacked : undefined;
}

/** Copies those sources of the machine that are for its own release, with another suite. */
function writeSources(target: string, suite: string): void {
  const release = /^VERSION_CODENAME=(.+)$/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1]?.replaceAll('"', "") ?? "stable";
  const parts = join(SOURCES, "sources.list.d");
  const files = [join(SOURCES, "sources.list"), ...(existsSync(parts) ? readdirSync(parts).map((name) => join(parts, name)) : [])];
  let written = 0;
  for (const file of files.filter((path) => existsSync(path))) {
    const text = readFileSync(file, "utf8");
    const changed = file.endsWith(".sources") ? stanzas(text, release, suite) : file.endsWith(".list") ? lines(text, release, suite) : "";
    if (changed === "") continue;
    writeFileSync(join(target, `${written++}${file.endsWith(".sources") ? ".sources" : ".list"}`), changed);
  }
  if (written === 0) throw new Error(`no package source of this machine is for ${release}`);
}

function stanzas(text: string, release: string, suite: string): string {
  return text
    .split(/\n\s*\n/)
    .filter((stanza) => /^Suites:(.*)$/m.exec(stanza)?.[1]?.split(/\s+/).includes(release) === true)
    .map((stanza) => stanza.replace(/^Suites:.*$/m, `Suites: ${suite}`))
    .join("\n\n");
}

function lines(text: string, release: string, suite: string): string {
  return text
    .split("\n")
    .filter((line) => /^deb\s/.test(line) && line.split(/\s+/).includes(release))
    .map((line) => line.replace(new RegExp(`\\s${release}\\s`), ` ${suite} `))
    .join("\n");
}

function shortOf(error: unknown): string {
  const { stderr, message } = error as { readonly stderr?: unknown; readonly message?: string };
  return (
    String(stderr ?? "")
      .trim()
      .split("\n")
      .at(-1) ||
    (message ?? String(error))
  ).slice(0, 300);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const server = getNatsServer();
  if ("program" in server) console.log(server.program);
  else {
    console.error(server.missing);
    process.exitCode = 1;
  }
}
