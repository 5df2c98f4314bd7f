import { spawnSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { putFiles } from "../../support/hook-files.ts";
import { Judge } from "../judge.ts";
import { Crew, until } from "../processes.ts";
import type { Scenario } from "../scenario.ts";

/** More than can be read at a time with the one descriptor that is left. */
const GUARDS = 8;
const rule = '[[rule]]\nname = "written-late"\nevent = "tool:before"\ndo = "block"\nmessage = "no"\n';
const handler = (reason: string) => `export const handle = () => ({ block: "${reason}" });\n`;

/**
 * A guard's code is rewritten and put back while the hub has one descriptor left: enough to see that something changed, too few to read
 * what. Once there are more, every guard is listed as active (I12), although nothing on disk changes any more. The same with a rule that is
 * written to hookline.toml while the hub has none left.
 */
export const noDescriptors: Scenario = async (seed) => {
  await using crew = new Crew();
  const judge = new Judge();
  const names = Array.from({ length: GUARDS }, (_, index) => `guard-${index}`);
  const folder = join(crew.folder, "config", "hookline", "hooks");
  for (const name of names)
    putFiles(join(folder, name), {
      "HOOK.yaml": `name: ${name}\nevents: [tool:before]\nonFailure: closed\n`,
      "handler.mjs": handler("accepted"),
    });
  const hub = await crew.startHub();
  const states = async (): Promise<readonly string[]> => {
    const { hooks } = await crew
      .get<{ hooks: { name: string; state: string }[] }>("/api/handlers")
      .catch(() => ({ hooks: [] as { name: string; state: string }[] }));
    return names.map((name) => hooks.find((hook) => hook.name === name)?.state ?? "missing");
  };
  await until("the guards are active", async () => (await states()).every((state) => state === "active"));
  const paths = names.map((name) => join(folder, name, "handler.mjs"));
  for (const path of paths) writeFileSync(path, handler("rewritten"));
  await until("the guards wait", async () => (await states()).every((state) => state === "waiting"));
  const isShort = (): boolean => /EMFILE|too many open files/.test(hub.stderr);
  judge.happened(!isShort(), "there were descriptors before");
  limit(hub.pid, limitWithFree(1, hub.pid));
  try {
    for (const path of paths) writeFileSync(path, handler("accepted"));
    await until("the hub is short of descriptors", isShort, 20_000);
  } finally {
    limit(hub.pid, 4_096);
  }
  judge.happened(isShort(), "the hub was short of descriptors");
  let last: readonly string[] = [];
  await until(
    "the guards are active again",
    async () => {
      last = await states();
      return last.every((state) => state === "active");
    },
    20_000,
  ).catch(() => {});
  judge.look(
    "I12",
    names.length,
    last.flatMap((state, index) => (state === "active" ? [] : [`${names[index]} is listed as ${state}`])),
  );

  const isUnread = (): boolean => /hookline\.toml.*(EMFILE|too many open files)/.test(hub.stderr);
  limit(hub.pid, limitWithFree(0, hub.pid));
  try {
    writeFileSync(join(crew.folder, "config", "hookline", "hookline.toml"), rule, { mode: 0o600 });
    await until("the hub cannot read hookline.toml", isUnread, 20_000);
  } finally {
    limit(hub.pid, 4_096);
  }
  judge.happened(isUnread(), "hookline.toml could not be read");
  const hasRule = async (): Promise<boolean> => {
    const { rules } = await crew.get<{ rules: { name: string }[] }>("/api/handlers").catch(() => ({ rules: [] }));
    return rules.some(({ name }) => name === "written-late");
  };
  const isInForce = await until("the rule is in force", hasRule, 20_000).then(
    () => true,
    () => false,
  );
  judge.look("I12", 1, isInForce ? [] : ["the rule of hookline.toml is not in force"]);
  return judge.verdict("no descriptors left", seed);
};

/** The limit is for the numbers of descriptors: all but `wanted` of those below it are taken. */
function limitWithFree(wanted: number, pid: number): number {
  const taken = new Set(readdirSync(`/proc/${pid}/fd`).map(Number));
  let free = 0;
  let count = 0;
  for (; free < wanted; count++) if (!taken.has(count)) free++;
  return count;
}

function limit(pid: number, count: number): void {
  const { status, stderr } = spawnSync("prlimit", [`--pid=${pid}`, `--nofile=${count}:`], { encoding: "utf8" });
  if (status !== 0) throw new Error(`The limit was not set: ${stderr}`);
}
