import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

// `npm run check`: runs every `check:` script of package.json, side by side, and says which failed.
const { scripts } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  readonly scripts: { readonly [name: string]: string };
};
const names = Object.keys(scripts).filter((name) => name.startsWith("check:"));

const failed = (await Promise.all(names.map(run))).filter((name) => name !== undefined);
if (failed.length > 0) {
  console.error(`Failed: ${failed.join(", ")}. To run one alone: npm run ${failed[0]}`);
  process.exitCode = 1;
}

/** Runs a script, shows what it printed, and returns its name if it failed. */
async function run(name: string): Promise<string | undefined> {
  const child = spawn(scripts[name] ?? "false", { shell: true, stdio: ["ignore", "pipe", "pipe"] });
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => output.push(chunk));
  const code = await new Promise((resolve) => child.on("close", resolve));
  process.stdout.write(Buffer.concat(output));
  return code === 0 ? undefined : name;
}
