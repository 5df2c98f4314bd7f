import { dirname, join } from "node:path";
import { GATES_FILE, HUB_FILE, readGatesFile } from "@hookline/core/internal/machine";
import { quoted } from "@hookline/core/internal/text";
import { readVersion } from "../../hub/lifecycle/version.js";
import { checkProof, findSocketFault, RESTART, tcpAddressOf } from "../find-hub.js";
import { countText } from "../format/amounts.js";
import { isOtherVersion } from "../status/other-version.js";
import { holderOf } from "../up/wait-for-old.js";
import { type Check, fail, failWith, ok, skip, warn } from "./check.js";

// The length that fits into sockaddr_un with the closing zero.
const MAX_SOCKET_PATH = process.platform === "linux" ? 107 : 103;
const MAX_SKEW_MS = 5_000;

export const hubChecks: readonly Check[] = [
  {
    id: "hub-file",
    title: "hub.json can be trusted",
    fix: "hookline up --detach",
    look({ hubFile, state, start }) {
      const path = join(state, HUB_FILE);
      if (hubFile.state === "found") return ok(path);
      if (hubFile.state === "none") return warn("the hub is not running", start);
      return failWith(`${path} is ${hubFile.state}: ${hubFile.reason}`, hubFile.fix, `rm ${quoted(path)}; hookline up --detach`);
    },
  },
  {
    id: "gates-file",
    title: "Processes that start without the hub know what it guards",
    fix: RESTART,
    look({ hubFile, state, running, start }) {
      const path = join(state, GATES_FILE);
      const found = readGatesFile(state);
      if ("reason" in found) return failWith(`${path} is ${found.state}: ${found.reason}`, found.fix);
      if (hubFile.state === "none" && found.state === "none") return skip("the hub is not running");
      if (found.state === "none") return fail(`${path} does not exist: until the hub has proved itself, every gate is closed`);
      const { gates } = found.file;
      const closed = gates.filter(({ onFailure }) => onFailure !== "open").map(({ event }) => event);
      const text = `${countText(gates.length, "gate")}, ${closed.length} of them closed`;
      if (running !== undefined || closed.length === 0) return ok(text);
      return fail(`${closed.join(", ")}: denied while no hub runs. To continue without a hub: hookline down`, start);
    },
  },
  {
    id: "hub-answers",
    title: "The hub answers and proves itself",
    fix: "hookline up --detach",
    look({ running, noHub, env, start }) {
      if (running !== undefined) return ok(`process ${running.pid}`);
      if (noHub === undefined || noHub.absence === "none") return skip("it is not running");
      // A hub can start whatever hub.json says, unless another holds the lock.
      return fail(noHub.message, holderOf(env) === undefined ? start : RESTART);
    },
  },
  {
    id: "version",
    title: "Hub and command line have the same version",
    fix: "hookline upgrade",
    async look({ hub, status }) {
      if (hub === undefined) return skip("the hub cannot be asked");
      const now = await status();
      if (!isOtherVersion(now)) return ok(now.version);
      return warn(
        now.version === readVersion() ? `the hub is an older ${now.version}` : `the hub is ${now.version}, this is ${readVersion()}`,
      );
    },
  },
  {
    id: "sockets",
    title: "The sockets are yours",
    fix: RESTART,
    look({ hubFile, noHub }) {
      if (hubFile.state !== "found" || noHub?.absence === "left") return skip("the hub is not running");
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
    fix: "export XDG_RUNTIME_DIR=/run/user/$(id -u)",
    look({ runtime }) {
      const length = Buffer.byteLength(join(runtime, "http.sock"));
      return length <= MAX_SOCKET_PATH
        ? ok(`${length} of ${MAX_SOCKET_PATH} bytes`)
        : fail(`${length} bytes, but the limit is ${MAX_SOCKET_PATH}: ${runtime}`);
    },
  },
  {
    id: "port",
    title: "The hub itself listens on its port",
    fix: RESTART,
    async look({ running }) {
      if (running === undefined) return skip("the hub cannot be asked");
      return checkProof(running, tcpAddressOf(new URL(running.url))).then(
        () => ok(running.url),
        (error: Error) => fail(`${running.url}: ${error.message}`),
      );
    },
  },
  {
    id: "clock",
    title: "The clock has not jumped",
    fix: "sudo timedatectl set-ntp true",
    look({ running }) {
      if (running === undefined) return skip("the hub is not running");
      const ahead = Date.parse(running.startedAt) - Date.now();
      return ahead <= MAX_SKEW_MS
        ? ok("the hub was started in the past")
        : warn(`the hub was started ${Math.round(ahead / 1000)} s in the future`);
    },
  },
];
