import { randomBytes } from "node:crypto";
import { readPrivateJson, writePrivateJson } from "@hookline/core/internal/machine";
import type { Listening } from "../lifecycle/listen-on-port.js";

/** The address that links to the dashboard use. */
export interface DashboardAddress {
  /** Called once, when the hub listens. */
  settle(where: Listening): void;
  url(): string;
  readonly names: () => readonly string[];
  /** Why links use the plain address instead of the dashboard's own name. */
  note(): string | undefined;
  readonly replace: () => void;
}

export interface DashboardAddressOptions {
  /** The name at which passkeys were made. It must not change: they work nowhere else. */
  readonly kept?: () => string | undefined;
  /** Ends every login. */
  readonly endLogins?: () => void;
}

/** Uses the dashboard's own name if that certainly leads to this hub, and the plain address otherwise. */
export function createDashboardAddress(
  name: DashboardName,
  { kept = () => undefined, endLogins = () => {} }: DashboardAddressOptions = {},
): DashboardAddress {
  let { url, foreign }: Pick<Listening, "url" | "foreign"> = { url: "", foreign: undefined };
  return {
    settle(where) {
      ({ url, foreign } = where);
      const passkeyName = kept();
      if (passkeyName !== undefined) name.keep(passkeyName);
      if (!where.hasMoved && foreign === undefined) return;
      // Dashboards that are open under the old name have sent their keys to the program that took over the port.
      if (passkeyName === undefined) name.renew();
      else endLogins();
    },
    url: () => (foreign === undefined ? withName(url, name.all()[0] as string) : url),
    names: () => (foreign === undefined ? name.all() : []),
    note: () => (foreign === undefined ? undefined : describe(foreign)),
    replace() {
      if (kept() === undefined) name.replace();
    },
  };
}

function withName(url: string, name: string): string {
  const named = new URL(url);
  named.hostname = name;
  return named.origin;
}

function describe(foreign: string): string {
  return `Another program listens on ${foreign}, so links use the hub's plain address. At that address, the browser does not keep the dashboard's data apart from what other servers store there. With another port it does: hookline down, then hookline up --port <number>`;
}

/**
 * The dashboard's own name, `<label>.localhost`. Browsers resolve every such name to this machine without DNS, and treat it as an origin and
 * a site of its own: cookies, storage and service workers of servers on other ports, or earlier on this port, do not apply there.
 */
export interface DashboardName {
  /** The current name first, then some former ones: a dashboard that is still open there is told that it is signed out. */
  all(): readonly string[];
  replace(): void;
  /** Makes this the current name. */
  keep(name: string): void;
  /** As `replace`, and forgets all former names, so logins made there are void. */
  renew(): void;
}

// The file keeps its former name, so that an upgrade does not change the address.
const FILE = "page-name.json";
const LABEL = /^h[a-z2-7]{16}$/;
const LETTERS = "abcdefghijklmnopqrstuvwxyz234567";
const MAX_KEPT = 4;

/** The name outlives the hub, as open dashboards do, and cannot be guessed. */
export function openDashboardName(state: string, onProblem: (text: string) => void): DashboardName {
  let labels = readLabels(readPrivateJson(state, FILE));

  function begin(former: readonly string[], label = newLabel()): void {
    labels = [label, ...former].slice(0, MAX_KEPT);
    try {
      writePrivateJson(state, FILE, labels);
    } catch (error) {
      onProblem(`The dashboard's address could not be saved, so it will change when the hub restarts: ${(error as Error).message}`);
    }
  }

  function keep(name: string): void {
    const label = name.replace(/\.localhost$/, "");
    if (labels[0] === label || !LABEL.test(label)) return;
    begin(
      labels.filter((other) => other !== label),
      label,
    );
  }

  if (labels.length === 0) begin([]);
  return { all: () => labels.map((label) => `${label}.localhost`), replace: () => begin(labels), keep, renew: () => begin([]) };
}

function newLabel(): string {
  return `h${[...randomBytes(16)].map((byte) => LETTERS[byte % LETTERS.length]).join("")}`;
}

function readLabels(value: unknown): readonly string[] {
  const isLabels = Array.isArray(value) && value.every((label) => typeof label === "string" && LABEL.test(label));
  return isLabels ? value.slice(0, MAX_KEPT) : [];
}
