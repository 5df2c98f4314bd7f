// What users would install: packs each published package, installs it into an empty folder and uses it, on the Node that runs this script.
// `node scripts/try-packages.js`, after `npm run build`. With `--sbom <file>`: writes the list of everything that they contain, as CycloneDX.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const PUBLISHED = ["core", "hookline", "fleet", "mcp", "otlp"];
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = mkdtempSync(join(tmpdir(), "hookline-packed-"));
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
// The hub needs a newer SQLite than older Nodes have; the command must say so.
const hasHub = major > 22 || (major === 22 && minor >= 23);

try {
  for (const name of PUBLISHED) npm(["pack", "--silent", "--pack-destination", folder], join(root, "packages", name));
  const packed = readdirSync(folder).filter((name) => name.endsWith(".tgz"));
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }\n');
  npm(["install", "--no-audit", "--no-fund", "--silent", ...packed.map((name) => `./${name}`)], folder);
  shows("the bus blocks", [process.execPath, "--input-type=module", "-e", programText()], /^blocked not here$/m);
  const cli = join(folder, "node_modules", "hookline", "bin", "hookline.js");
  if (hasHub) {
    const { version } = JSON.parse(readFileSync(join(root, "packages/hookline/package.json"), "utf8"));
    shows("the command prints its version", [process.execPath, cli, "--version"], new RegExp(`^${version.replaceAll(".", "\\.")}$`, "m"));
    shows("rules are explained", [process.execPath, cli, "rules", "explain", "rm -rf /"], /rm/);
    shows("the fleet's commands are found", [process.execPath, cli, "fleet", "--help"], /invite/);
    shows("the commands of MCP are found", [process.execPath, cli, "mcp", "--help"], /wrap/);
    shows("the OpenTelemetry sink opens", [process.execPath, "--input-type=module", "-e", sinkText()], /^telemetry$/m);
  } else shows("an old Node is told", [process.execPath, cli, "--version"], /Node 2\d/, [0, 1]);
  const sbom = process.argv[2] === "--sbom" ? process.argv[3] : undefined;
  if (sbom !== undefined) writeSbom(sbom);
  console.log(`Node ${process.versions.node} on ${process.platform}: the packed packages work.`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function programText() {
  return `import { block, createBus } from "@hookline/core";
const bus = createBus({ source: "packed" });
bus.on("tool:before", () => block("not here"), { name: "guard" });
const run = await bus.runTool({ tool: { name: "bash", input: {} } }, () => "ran");
console.log(run.status, run.error);`;
}

function sinkText() {
  return `import { createSink } from "@hookline/otlp";
const sink = createSink({ name: "telemetry", url: "http://127.0.0.1:4318" });
await sink.close();
console.log(sink.name);`;
}

function writeSbom(file) {
  const packages = PUBLISHED.flatMap((name) => ["--workspace", `packages/${name}`]);
  const text = npm(["sbom", "--sbom-format", "cyclonedx", "--omit", "dev", ...packages], root);
  const { components } = JSON.parse(text);
  writeFileSync(file, text);
  console.log(`ok  ${file} lists ${components.length} packages`);
}

function npm(args, cwd) {
  const { status, stderr, stdout } = spawnSync("npm", args, { cwd, encoding: "utf8", shell: process.platform === "win32", maxBuffer: 1e8 });
  if (status !== 0) throw new Error(`npm ${args.join(" ")} failed: ${stdout}${stderr}`);
  return stdout;
}

function shows(what, [program, ...args], wanted, codes = [0]) {
  const home = { HOME: folder, XDG_STATE_HOME: join(folder, "state"), XDG_CONFIG_HOME: join(folder, "config") };
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder, encoding: "utf8", env: { ...process.env, ...home } });
  if (!codes.includes(status) || !wanted.test(stdout + stderr)) throw new Error(`${what}: exit code ${status}, ${stdout}${stderr}`);
  console.log(`ok  ${what}`);
}
