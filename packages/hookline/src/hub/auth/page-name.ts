import { randomBytes } from "node:crypto";
import { readPrivateJson, writePrivateJson } from "./private-json.js";

/**
 * The page's own name, `<label>.localhost`. Browsers lead every such name to this machine without asking anybody, and it is an origin and a
 * site of its own: what servers on other ports, or on this one before, left in the browser (cookies, storage, service workers) is not there.
 */
export interface PageName {
  /** The present one first, then some that were replaced: a page that is still open there is told that it is signed out. */
  all(): readonly string[];
  replace(): void;
  /** The same, and none of those before leads here any more, nor do logins made there. */
  renew(): void;
}

const FILE = "page-name.json";
const LABEL = /^h[a-z2-7]{16}$/;
const LETTERS = "abcdefghijklmnopqrstuvwxyz234567";
const MAX_KEPT = 4;

/** It outlives the hub, as open pages do, and nobody can guess it. */
export function openPageName(state: string, onProblem: (text: string) => void): PageName {
  let labels = readLabels(readPrivateJson(state, FILE));

  function begin(former: readonly string[]): void {
    labels = [newLabel(), ...former].slice(0, MAX_KEPT);
    try {
      writePrivateJson(state, FILE, labels);
    } catch (error) {
      onProblem(`The page's address was not written down, and is another when the hub starts again: ${(error as Error).message}`);
    }
  }

  if (labels.length === 0) begin([]);
  return { all: () => labels.map((label) => `${label}.localhost`), replace: () => begin(labels), renew: () => begin([]) };
}

function newLabel(): string {
  return `h${[...randomBytes(16)].map((byte) => LETTERS[byte % LETTERS.length]).join("")}`;
}

function readLabels(value: unknown): readonly string[] {
  const isLabels = Array.isArray(value) && value.every((label) => typeof label === "string" && LABEL.test(label));
  return isLabels ? value.slice(0, MAX_KEPT) : [];
}
