// Names in the lock files the platform packages that npm left out of them. npm writes only those it could fetch when the lock was made,
// and `npm ci` then refuses the lock on any machine. Run it after `npm install`; `--check` only tells.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

interface LockEntry {
  version?: string;
  optional?: boolean;
  dev?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
}
interface Lock {
  packages: Record<string, LockEntry>;
}

const isCheck = process.argv.includes("--check");
for (const name of ["package-lock.json", "site/package-lock.json"]) complete(name);

function complete(name: string): void {
  const file = fileURLToPath(new URL(`../${name}`, import.meta.url));
  const lock = JSON.parse(readFileSync(file, "utf8")) as Lock;
  const missing = missingEntries(lock);
  if (missing.size === 0) return;
  if (isCheck) {
    console.error(`${name} leaves out ${missing.size} platform packages, so \`npm ci\` refuses it. Run: npm run lock:complete`);
    process.exitCode = 1;
    return;
  }
  const packages = Object.entries({ ...lock.packages, ...Object.fromEntries(missing) });
  lock.packages = Object.fromEntries(packages.sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
  console.log(`Added ${missing.size} platform packages to ${name}.`);
}

function missingEntries({ packages }: Lock): Map<string, LockEntry> {
  const found = new Map<string, LockEntry>();
  for (const [path, entry] of Object.entries(packages)) {
    if (path === "") continue;
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      const place = placeFor(name, path, packages);
      if (place !== undefined && isExact(version)) found.set(place, entryFor(name, version, entry));
    }
  }
  return found;
}

/** Where the package would stand: beside its siblings of the same owner, or nowhere if it is there already. */
function placeFor(name: string, owner: string, packages: Lock["packages"]): string | undefined {
  const nested = `${owner}/node_modules/${name}`;
  const hoisted = `node_modules/${name}`;
  return packages[nested] === undefined && packages[hoisted] === undefined ? hoisted : undefined;
}

function isExact(version: string): boolean {
  return /^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version);
}

function entryFor(name: string, version: string, owner: LockEntry): LockEntry {
  const words = name.slice(name.lastIndexOf("/") + 1).split("-");
  const os = ["android", "darwin", "freebsd", "linux", "openbsd", "openharmony", "win32"].filter((word) => words.includes(word));
  const cpu = ["arm64", "arm", "ia32", "ppc64", "riscv64", "s390x", "wasm32", "x64", "loong64"].filter((word) => words.includes(word));
  const libc = words.some((word) => word.startsWith("musl")) ? ["musl"] : words.some((word) => word.startsWith("gnu")) ? ["glibc"] : [];
  return {
    version,
    ...(cpu.length > 0 && { cpu }),
    ...(owner.dev === true && { dev: true }),
    ...(libc.length > 0 && { libc }),
    optional: true,
    ...(os.length > 0 && { os }),
  };
}
