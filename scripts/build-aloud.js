// `npm start` builds first, and a person waits for it: says so, and how far it is. Old versions of Node must understand this file.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

if (!existsSync(new URL("../node_modules", import.meta.url))) {
  console.error("Hookline cannot be built: its packages are not installed. Run: npm ci");
  process.exit(1);
}
const { scripts } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const steps = scripts.build.split(" && ");
const isWatched = process.stdout.isTTY === true;

console.log("Building Hookline. The first time takes 10 seconds to a minute, later a second or two.");
for (const [index, step] of steps.entries()) {
  const code = await run(step, `  ${index + 1} of ${steps.length}: ${step}`);
  if (code === 0) continue;
  console.error(`The build failed: "${step}" ended with ${code}. Above is what it said. To try it alone: npm run build`);
  process.exit(1);
}
console.log("");

/** Runs a step of the build with its time beside it, and gives its exit code. */
async function run(step, label) {
  const startedAt = Date.now();
  const seconds = () => `${Math.round((Date.now() - startedAt) / 1000)} s`;
  const show = () => process.stdout.write(`\r${label} … ${seconds()}`);
  const timer = isWatched ? setInterval(show, 1000) : undefined;
  if (isWatched) show();
  else console.log(label);
  const output = [];
  const child = spawn(step, { shell: true, stdio: ["ignore", "pipe", "pipe"] });
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => output.push(chunk));
  const code = await new Promise((resolve) => child.on("close", (status, signal) => resolve(status ?? signal)));
  clearInterval(timer);
  if (isWatched) process.stdout.write(`\r${label}, ${seconds()}   \n`);
  process.stdout.write(Buffer.concat(output));
  return code;
}
