import { accessSync, constants, existsSync, lstatSync, readdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  abandonedIn,
  existingFolder,
  findFolderFault,
  GATES_FILE,
  HUB_FILE,
  probeLiveness,
  socketOf,
  spoolFolder,
  unwritableFault,
} from "@hookline/core/internal/machine";
import { quoted } from "@hookline/core/internal/text";
import { OPERATOR_FILE } from "../../hub/auth/read-operator-file.js";
import { spoolFileNamed } from "../../hub/spool/spool-file.js";
import { bytesText, countText } from "../format/amounts.js";
import { type Check, type Finding, fail, failWith, ok, skip, warn } from "./check.js";

const LITTLE_BYTES = 1_000_000_000;
const TOO_LITTLE_BYTES = 100_000_000;

export const folderChecks: readonly Check[] = [
  { id: "state-folder", title: "The state folder is yours alone", fix: "hookline up --detach", look: ({ state }) => lookAtFolder(state) },
  {
    id: "state-folder-writable",
    title: "The state folder can be written to",
    fix: "hookline up --detach",
    look({ state, managed }) {
      if (!existsSync(state)) return lookAbove(state);
      if (managed !== undefined) return skip("it belongs to the user of the managed hub");
      const probe = join(state, `.doctor-${process.pid}`);
      try {
        writeFileSync(probe, "hookline\n", { flag: "wx", mode: 0o600 });
        rmSync(probe);
        return ok(state);
      } catch (error) {
        rmSync(probe, { force: true });
        return unwritable(state, error);
      }
    },
  },
  {
    id: "runtime-folder",
    title: "The sockets' folder is yours alone",
    fix: "hookline up --detach",
    look: ({ runtime }) => lookAtFolder(runtime),
  },
  {
    id: "disk-space",
    title: "There is space on the disk",
    fix: "df -h",
    look({ data }) {
      const { bavail, bsize } = statfsSync(existingFolder(data));
      const free = bavail * bsize;
      const text = `${bytesText(free)} free for ${data}`;
      const fix = `du -sh ${quoted(data)}/*`;
      if (free < TOO_LITTLE_BYTES) return fail(text, fix);
      return free < LITTLE_BYTES ? warn(text, fix) : ok(text);
    },
  },
  {
    id: "spool",
    title: "No spooled events wait for the hub",
    fix: "hookline up --detach",
    async look({ state, hub }) {
      const { waiting, undecided } = await spooledIn(spoolFolder(state));
      if (undecided.length > 0)
        return warn(
          `${countText(undecided.length, "file")} in ${spoolFolder(state)}: the hub reads them, but cannot see whether their processes still write to them. When those have ended, remove the files`,
          `rm ${undecided.map((path) => quoted(path)).join(" ")}`,
        );
      if (waiting === 0) return ok("the spool is empty");
      const text = `${countText(waiting, "file")} in ${spoolFolder(state)}`;
      return hub === undefined
        ? warn(`${text}; a hub reads them when it starts`)
        : warn(`${text}; the hub reads them one after the other`, "hookline status");
    },
  },
  {
    id: "spool-bad",
    title: "All spooled events could be read",
    fix: "hookline doctor",
    look({ state }) {
      const bad = namesIn(spoolFolder(state)).filter((name) => name.endsWith(".bad"));
      if (bad.length === 0) return ok("no line was set aside");
      const folder = quoted(spoolFolder(state));
      return warn(
        `${countText(bad.length, "file")} with lines that are not events, in ${spoolFolder(state)}`,
        `mkdir -p ~/hookline-bad && mv ${folder}/*.bad ~/hookline-bad/`,
      );
    },
  },
  {
    id: "leftovers",
    title: "No killed process left files behind",
    fix: "hookline up --detach",
    look({ state }) {
      const left = existsSync(state) ? abandonedIn(state, [HUB_FILE, GATES_FILE, OPERATOR_FILE]) : [];
      if (left.length === 0) return ok("none");
      return warn(
        `${countText(left.length, "file")} in ${state}: ${left.join(" ")}`,
        `rm ${left.map((name) => quoted(join(state, name))).join(" ")}`,
      );
    },
  },
];

/** Whether the hub can create a folder that does not exist. */
function lookAbove(folder: string): Finding {
  const above = existingFolder(folder);
  try {
    accessSync(above, constants.W_OK);
    return skip(`${folder} does not exist; the hub creates it`);
  } catch (error) {
    return unwritable(above, error);
  }
}

function unwritable(folder: string, error: unknown): Finding {
  const { reason, fix } = unwritableFault(folder, (error as NodeJS.ErrnoException).code ?? String(error));
  return fail(reason, fix.run);
}

function lookAtFolder(folder: string): Finding {
  if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) return skip(`${folder} does not exist yet; the hub creates it`);
  const fault = findFolderFault(folder);
  if (fault === undefined) return ok(folder);
  return failWith(`${folder}: ${fault.reason}`, fault.fix, `mv ${quoted(folder)} ${quoted(`${folder}.old`)}`);
}

/** Files that wait for the hub, and files whose writers may or may not live. Files of live processes are neither. */
async function spooledIn(spool: string): Promise<{ readonly waiting: number; readonly undecided: readonly string[] }> {
  const files = namesIn(spool).flatMap((name) => spoolFileNamed(spool, name) ?? []);
  const states = await Promise.all(files.map(({ isFinished, writer }) => (isFinished ? "dead" : probeLiveness(spool, socketOf(writer)))));
  return {
    waiting: states.filter((state) => state === "dead").length,
    undecided: files.flatMap(({ path }, at) => (states[at] === "unknown" ? [path] : [])),
  };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
