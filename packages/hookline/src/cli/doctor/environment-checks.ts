import { descriptorLimit } from "../../machine/descriptor-limit.js";
import { type Check, fail, ok, skip, warn } from "./check.js";

const ENOUGH_FILES = 1_024;
const OFF = /^(0|false|no|off)$/i;

export const environmentChecks: readonly Check[] = [
  {
    id: "node",
    title: "Node is new enough",
    fix: "nvm install 24",
    look: () =>
      isAtLeast(process.versions.node, "22.23.0") ? ok(process.versions.node) : fail(`${process.versions.node}, but 22.23 is needed`),
  },
  {
    id: "sqlite",
    title: "SQLite cannot lose committed events",
    fix: "nvm install 24",
    look() {
      const { sqlite = "0" } = process.versions;
      return isAtLeast(sqlite, "3.51.3") ? ok(sqlite) : fail(`${sqlite}, but 3.51.3 is needed`);
    },
  },
  {
    id: "switch",
    title: "Hookline is on in agents started from this shell",
    fix: "unset HOOKLINE",
    look({ env: { HOOKLINE: value = "" } }) {
      return OFF.test(value.trim())
        ? warn("HOOKLINE switches it off in agents with their own bus; attached agents and the hub stay guarded")
        : ok("HOOKLINE does not switch it off");
    },
  },
  {
    id: "forwarding",
    title: "Agents started from this shell are forwarded",
    fix: "unset HOOKLINE_FORWARD",
    look({ env: { HOOKLINE_FORWARD: value = "" } }) {
      return OFF.test(value.trim()) ? warn("HOOKLINE_FORWARD switches it off") : ok("HOOKLINE_FORWARD does not switch it off");
    },
  },
  {
    id: "descriptors",
    title: "Enough files may be open",
    fix: "ulimit -n 4096",
    look() {
      const limit = descriptorLimit();
      if (limit === undefined) return skip("this system does not report the limit");
      return limit >= ENOUGH_FILES ? ok(String(limit)) : warn(`${limit}; with many agents attached the hub needs ${ENOUGH_FILES}`);
    },
  },
];

function isAtLeast(version: string, least: string): boolean {
  const [have, want] = [version, least].map((text) => text.split(".").map(Number)) as [number[], number[]];
  const index = want.findIndex((part, place) => part !== (have[place] ?? 0));
  return index === -1 || (have[index] ?? 0) > (want[index] ?? 0);
}
