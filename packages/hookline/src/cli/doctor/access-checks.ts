import { join } from "node:path";
import { canSeeProcesses, peerReader } from "../../hub/auth/processes.js";
import { OPERATOR_FILE, readOperatorFile } from "../../hub/auth/read-operator-file.js";
import { MODE_MEANS } from "../../hub/mode.js";
import type { ProtectAnswer } from "../../hub/protocol.js";
import { addressOf, RESTART } from "../find-hub.js";
import { alarmWarning } from "../format/alarm-text.js";
import { ask } from "../hub-http.js";
import { type Check, fail, failWith, ok, skip, warn } from "./check.js";

export const accessChecks: readonly Check[] = [
  {
    id: "mode",
    title: "Operating the hub",
    fix: "hookline protect",
    async look({ hub, status }) {
      if (hub === undefined) return skip("the hub cannot be asked");
      const { mode } = await status();
      if (mode !== "protect") return ok(`${MODE_MEANS[mode]}${mode === "plain" ? " To change that: hookline protect on" : ""}`);
      const { locked } = await hub.get<ProtectAnswer>("/api/protect");
      return locked === undefined ? ok(MODE_MEANS.protect) : fail(locked, "hookline protect recover");
    },
  },
  {
    id: "operator-file",
    title: "The operator's token is yours alone",
    fix: RESTART,
    look({ state, running }) {
      const path = join(state, OPERATOR_FILE);
      const found = readOperatorFile(state);
      if (running === undefined) return found.state === "found" ? ok(path) : skip("the hub is not running");
      if (found.state === "found") return found.file.instance === running.instance ? ok(path) : fail(`${path}: it belongs to another hub`);
      if (found.state === "none") return fail(`${path}: it does not exist`);
      return failWith(`${path}: ${found.reason}`, typeof found.fix === "object" ? { run: `${found.fix.run}; ${RESTART}` } : found.fix);
    },
  },
  {
    id: "operator-token",
    title: "The operator's token works",
    fix: RESTART,
    async look({ hub }) {
      if (hub === undefined) return skip("the hub cannot be asked");
      return hub.get("/api/handlers").then(
        () => ok("it may read"),
        (error: Error) => fail(error.message),
      );
    },
  },
  {
    id: "alarms",
    title: "Alarms",
    fix: "hookline alarms",
    async look({ hub, status }) {
      if (hub === undefined) return skip("the hub cannot be asked");
      const { alarms } = await status();
      return alarms.waiting === 0 ? ok("none is open") : warn(alarmWarning(alarms));
    },
  },
  {
    id: "peers",
    title: "The hub can tell an agent's processes from yours",
    fix: "hookline status",
    look() {
      if (!canSeeProcesses) return warn("Only Linux shows which process asks. Here, commands look at the names of their parent processes.");
      const reader = peerReader();
      if (reader !== undefined) return ok(`by ${reader.program}`);
      return warn("Neither Perl nor Python is installed, so the hub cannot read which process an agent is.", "apt-get install perl-base");
    },
  },
  {
    id: "agent-token",
    title: "The token that agents get cannot read or approve",
    fix: RESTART,
    async look({ running }) {
      if (running === undefined) return skip("the hub cannot be asked");
      const headers = { authorization: `Bearer ${running.token}` };
      const { status } = await ask(addressOf(running), { path: "/api/events?limit=1", headers });
      return status === 403 || status === 401 ? ok("it may ingest and ask for decisions") : fail(`it could read events (status ${status})`);
    },
  },
];
