import { spawnSync } from "node:child_process";
import type { Managed } from "@hookline/core/internal/machine";
import { CliError } from "../cli-error.js";
import { EXIT } from "../exit-codes.js";
import { HUB_USER, OPERATORS_GROUP } from "./system-places.js";

type Ids = Omit<Managed, "run">;

/** The users and groups of the hub: their numbers, and what the unit calls them. */
export interface Accounts {
  readonly ids: Ids;
  readonly names: { readonly [Part in keyof Ids]: string };
}

const CREATE: readonly { readonly command: readonly [string, ...string[]]; readonly isThere: () => boolean }[] = [
  {
    command: [
      "useradd",
      "--system",
      "--user-group",
      "--home-dir",
      "/var/lib/hookline",
      "--no-create-home",
      "--shell",
      "/usr/sbin/nologin",
      HUB_USER,
    ],
    isThere: () => idOf("passwd", HUB_USER) !== undefined,
  },
  { command: ["groupadd", "--system", OPERATORS_GROUP], isThere: () => idOf("group", OPERATORS_GROUP) !== undefined },
];

/** The commands that create what is missing. */
export function missingAccounts(): readonly (readonly [string, ...string[]])[] {
  return CREATE.filter(({ isThere }) => !isThere()).map(({ command }) => command);
}

export function createAccounts(): void {
  for (const [program, ...args] of missingAccounts()) {
    const { status, stderr, error } = spawnSync(program, args, { encoding: "utf8" });
    if (status === 0) continue;
    const why = error === undefined ? (stderr.trim().split("\n").at(-1) ?? "") : error.message;
    throw new CliError(`The account could not be created with ${program}: ${why}`, { fix: { run: [program, ...args].join(" ") } });
  }
}

/** Throws if an account is missing. */
export function findAccounts(): Accounts {
  const [user, group, operators] = [idOf("passwd", HUB_USER), idOf("group", HUB_USER), idOf("group", OPERATORS_GROUP)];
  if (user !== undefined && group !== undefined && operators !== undefined)
    return { ids: { user, group, operators }, names: { user: HUB_USER, group: HUB_USER, operators: OPERATORS_GROUP } };
  throw new CliError(`The user "${HUB_USER}" with a group of that name, or the group "${OPERATORS_GROUP}", is missing.`, {
    fix: { run: CREATE.map(({ command }) => command.join(" ")).join("; ") },
  });
}

/** `<uid>:<gid>:<gid of operators>`, for an image or a package whose accounts this machine does not have. */
export function readIds(text: string): Accounts {
  const ids = text.split(":").map(Number);
  const [user = 0, group = 0, operators = 0] = ids;
  if (!/^\d+:\d+:\d+$/.test(text) || ids.some((id) => id < 1) || group === operators)
    throw new CliError(`--ids must be three numbers above 0, such as 990:990:991, and not ${JSON.stringify(text)}.`, {
      exitCode: EXIT.usage,
    });
  return { ids: { user, group, operators }, names: { user: String(user), group: String(group), operators: String(operators) } };
}

/** The users of a group, with their login shells. A user with a number and no name is not among them. */
export function membersOf(group: number): readonly { readonly name: string; readonly shell: string }[] {
  const [, , , members = ""] = linesOf("group").find(([, , id]) => Number(id) === group) ?? [];
  const named = members.split(",");
  return linesOf("passwd")
    .filter(([name = "", , , primary]) => named.includes(name) || Number(primary) === group)
    .map(([name = "", , , , , , shell]) => ({ name, shell: shell || "/bin/sh" }));
}

function linesOf(database: "passwd" | "group"): readonly (readonly string[])[] {
  const { stdout } = spawnSync("getent", [database], { encoding: "utf8" });
  return (stdout ?? "")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.split(":"));
}

function idOf(database: "passwd" | "group", name: string): number | undefined {
  const { status, stdout } = spawnSync("getent", [database, name], { encoding: "utf8" });
  const id = Number(stdout?.split(":")[2]);
  return status === 0 && Number.isInteger(id) ? id : undefined;
}
