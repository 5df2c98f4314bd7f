import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const REPOSITORY = "https://github.com/modelcontextprotocol/experimental-ext-interceptors";
const CLONE_MS = 60_000;

// biome-ignore lint/suspicious/noExplicitAny: payloads and results of any shape
type Json = any;

export interface FixtureInterceptor {
  readonly name: string;
  readonly type: "validation" | "mutation";
  readonly behavior: string;
  readonly events: readonly string[];
  readonly phases: "request" | "response" | "both";
  readonly mode?: string;
  readonly failOpen?: boolean;
}

export interface FixtureStep {
  readonly op: string;
  readonly event?: string | null;
  readonly phase?: "request" | "response";
  readonly payload?: Json;
  readonly params?: Json;
  readonly context?: { readonly sessionId?: string } | null;
  readonly expect: Json;
}

export interface Fixture {
  readonly id: string;
  readonly requirement: string;
  readonly interceptors: readonly FixtureInterceptor[];
  readonly steps: readonly FixtureStep[];
  readonly volatile: readonly string[];
}

/** The fixtures of the draft: in the folder that HOOKLINE_INTERCEPTORS names, or from its repository. A text says why there are none. */
export function findFixtures(): readonly Fixture[] | string {
  const { HOOKLINE_INTERCEPTORS: given } = process.env;
  const folder = given ?? clone();
  if (folder === undefined)
    return `${REPOSITORY} could not be cloned. Clone it where you can, and name its folder "conformance" in HOOKLINE_INTERCEPTORS.`;
  const fixtures = join(folder, "fixtures");
  if (!existsSync(fixtures)) return `There is no folder "${fixtures}".`;
  return ["protocol", "behavior"].flatMap((kind) =>
    readdirSync(join(fixtures, kind))
      .sort()
      .map((file) => JSON.parse(readFileSync(join(fixtures, kind, file), "utf8")) as Fixture),
  );
}

function clone(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), "hl-interceptors-"));
  try {
    execFileSync("git", ["clone", "--quiet", "--depth", "1", REPOSITORY, folder], {
      timeout: CLONE_MS,
      stdio: "ignore",
      env: { ...process.env, GIT_TERMINAL_PROMPT: "0" },
    });
    return join(folder, "conformance");
  } catch {
    return undefined;
  }
}
