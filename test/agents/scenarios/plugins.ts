import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { claim, type Scenario } from "../scenario.ts";
import type { Stage } from "../stage.ts";

/** What can become of a file, by what it was. */
const damages: { readonly [what: string]: (whole: Buffer) => Buffer } = {
  empty: () => Buffer.alloc(0),
  "its first byte": (whole) => whole.subarray(0, 1),
  "a quarter": (whole) => whole.subarray(0, whole.length / 4),
  half: (whole) => whole.subarray(0, whole.length / 2),
  "three quarters": (whole) => whole.subarray(0, (whole.length / 4) * 3),
  "without its last line": (whole) => whole.subarray(0, whole.lastIndexOf("\n", whole.length - 2)),
  "NUL bytes alone": (whole) => Buffer.alloc(whole.length),
  "NUL bytes in the middle": (whole) => Buffer.concat([whole.subarray(0, 900), Buffer.alloc(512), whole.subarray(1_412)]),
};

function clientOf({ home, driver }: Stage): string {
  const folder = join(home, "state", "hookline", "attach");
  const name = readdirSync(folder).find((one) => one.startsWith(driver.id) && one.endsWith(".js"));
  return join(folder, name ?? "");
}

/** Each damage in turn, to the plugin and to the client that it loads; last, no plugin at all. */
async function tryDamages(stage: Stage): Promise<readonly string[]> {
  const ran: string[] = [];
  const files = { plugin: stage.driver.settingsPath(stage.home), client: clientOf(stage) };
  for (const [file, path] of Object.entries(files)) {
    const whole = readFileSync(path);
    for (const [at, [what, damage]] of Object.entries(damages).entries()) {
      writeFileSync(path, damage(whole));
      await stage.run({ scripts: { main: [[stage.driver.shell(`touch ${file}-${at}`)]] } });
      if (stage.has(`${file}-${at}`)) ran.push(`${file}: ${what}`);
    }
    writeFileSync(path, whole);
  }
  rmSync(files.plugin);
  await stage.run({ scripts: { main: [[stage.driver.shell("touch gone")]] } });
  if (stage.has("gone")) ran.push("plugin: removed");
  return ran;
}

/** What becomes of an agent without a whole plugin. */
export const plugins: readonly Scenario[] = [
  {
    name: "plugin-damaged",
    title: "a damaged plugin, strict: no call runs",
    agents: ["opencode", "pi"],
    async run(stage) {
      if (!stage.isStrict) return "cannot";
      await stage.startHub();
      await stage.attach();
      await stage.run({ scripts: { main: [[stage.driver.shell("touch whole")]] } });
      claim("with the whole plugin, the call runs", stage.has("whole"));
      // It would put the files back.
      await stage.hub.kill();
      const ran = await tryDamages(stage);
      // pi cannot know that it had an extension.
      const expected = stage.driver.id === "pi" ? ["plugin: removed"] : [];
      claim(`no call ran: ${ran.join(", ")}`, ran.join() === expected.join());
      return undefined;
    },
  },
];
