import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { HUB_FILE } from "@hookline/core/discover";
import { readVersion } from "../../hub/version.js";
import { checkProof, findSocketFault, tcpAddressOf } from "../find-hub.js";
import { type Check, commandIn, fail, ok, quote, skip, warn } from "./check.js";

const RESTART = "hookline down; hookline up --detach";
// What fits into sockaddr_un, with its closing zero.
const MAX_SOCKET_PATH = process.platform === "linux" ? 107 : 103;
const MAX_SKEW_MS = 5_000;

export const hubChecks: readonly Check[] = [
  {
    id: "hub-file",
    title: "hub.json can be trusted",
    mend: "hookline up --detach",
    look({ hubFile, state }) {
      const path = join(state, HUB_FILE);
      if (hubFile.state === "running") return ok(path);
      if (hubFile.state === "none") return warn("the hub is not running");
      if (hubFile.state === "stale") return warn(`the hub is not running: ${path} was left behind, ${hubFile.reason}`);
      return fail(`${path} is ${hubFile.state}: ${hubFile.reason}`, commandIn(hubFile.reason) ?? `rm ${quote(path)}`);
    },
  },
  {
    id: "hub-answers",
    title: "The hub answers and proves itself",
    mend: "hookline up --detach",
    look({ hubFile, proofProblem }) {
      if (hubFile.state !== "running") return skip("it is not running");
      if (proofProblem === undefined) return ok(`process ${hubFile.file.pid}`);
      // The number may be another program's by now; a hub can be started whatever hub.json says, unless one holds the lock.
      const { pid } = hubFile.file;
      return fail(proofProblem, isHookline(pid) ? `kill -9 ${pid}; hookline up --detach` : "hookline up --detach");
    },
  },
  {
    id: "version",
    title: "Hub and command line are of one version",
    mend: RESTART,
    async look({ hub, status }) {
      if (hub === undefined) return skip("the hub cannot be asked");
      const { version } = await status();
      return version === readVersion() ? ok(version) : warn(`the hub is ${version}, this is ${readVersion()}`);
    },
  },
  {
    id: "sockets",
    title: "The sockets are yours",
    mend: RESTART,
    look({ hubFile }) {
      if (hubFile.state !== "running") return skip("the hub is not running");
      const faults = [hubFile.file.line, hubFile.file.http].flatMap((path) => {
        const fault = findSocketFault(path);
        return fault === undefined ? [] : [`${path}: ${fault}`];
      });
      return faults.length === 0 ? ok(dirname(hubFile.file.line)) : fail(faults.join("; "));
    },
  },
  {
    id: "socket-path",
    title: "The sockets' paths are short enough",
    mend: "export XDG_RUNTIME_DIR=/run/user/$(id -u)",
    look({ runtime }) {
      const length = Buffer.byteLength(join(runtime, "http.sock"));
      return length <= MAX_SOCKET_PATH
        ? ok(`${length} of ${MAX_SOCKET_PATH} bytes`)
        : fail(`${length} bytes, but only ${MAX_SOCKET_PATH} are possible: ${runtime}`);
    },
  },
  {
    id: "port",
    title: "The port is the hub's own",
    mend: RESTART,
    async look({ hubFile, proofProblem }) {
      if (hubFile.state !== "running" || proofProblem !== undefined) return skip("the hub cannot be asked");
      const { file } = hubFile;
      return checkProof(file, tcpAddressOf(new URL(file.url))).then(
        () => ok(file.url),
        (error: Error) => fail(`${file.url}: ${error.message}`),
      );
    },
  },
  {
    id: "clock",
    title: "The clock did not jump",
    mend: "sudo timedatectl set-ntp true",
    look({ hubFile }) {
      if (hubFile.state !== "running") return skip("the hub is not running");
      const ahead = Date.parse(hubFile.file.startedAt) - Date.now();
      return ahead <= MAX_SKEW_MS
        ? ok("the hub was started in the past")
        : warn(`the hub was started ${Math.round(ahead / 1000)} s in the future`);
    },
  },
];

/** Whether a process is one of ours, where the system tells. */
function isHookline(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("hookline");
  } catch {
    return false;
  }
}
