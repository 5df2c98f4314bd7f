import { claudeCode } from "../claude-code/definition.js";
import type { EntryOptions, Scope } from "../claude-code/install.js";
import * as claudeInstall from "../claude-code/install.js";
import { codex } from "../codex/definition.js";
import * as codexInstall from "../codex/install.js";
import { copilot } from "../copilot/definition.js";
import * as copilotInstall from "../copilot/install.js";
import { gemini } from "../gemini/definition.js";
import * as geminiInstall from "../gemini/install.js";
import { agentSyntax } from "../install/agent-syntax.js";
import type { WantedFile } from "../install/plan-edit.js";
import type { AgentDialect } from "../shared/definition.js";
import { type CanaryCall, canaryCall } from "./canary.js";

/** What is written for an agent, without the marks of whose it is. */
type Wanted = Omit<WantedFile, "marks">;

/** An agent as a program on this machine: how it is found, and where its hooks are written. */
export interface AgentProgram {
  readonly dialect: AgentDialect;
  /** As its command may be called. */
  readonly commands: readonly string[];
  readonly package: string;
  /** The version that was tried. */
  readonly tried: string;
  readonly scopes: readonly Scope[];
  readonly canary: CanaryCall;
  settingsPath(scope: Scope, env: NodeJS.ProcessEnv, cwd: string): string;
  wanted(options: EntryOptions): Wanted;
  /** What has to be done or known before its hooks run. */
  readonly note?: string;
  /** Runs the hooks of both scopes, and does not say that it is one call. */
  readonly deliversTwice?: true;
  /** What keeps its hooks from running all the same, as things are. */
  cautions?(setting: CautionSetting): readonly string[];
}

interface CautionSetting {
  readonly scope: Scope;
  readonly env: NodeJS.ProcessEnv;
  /** What its file says; nothing where it cannot be read. */
  readonly settings: unknown;
}

export const programs: readonly AgentProgram[] = [
  {
    dialect: claudeCode,
    commands: ["claude"],
    package: "@anthropic-ai/claude-code",
    tried: "2.1.325",
    scopes: claudeInstall.scopes,
    canary: canaryCall(claudeCode),
    settingsPath: claudeInstall.settingsPath,
    wanted: (options) => ({ entries: claudeInstall.hookEntries(options), syntax: agentSyntax["claude-code"] }),
    cautions: ({ settings }) =>
      (settings as { readonly disableAllHooks?: unknown } | undefined)?.disableAllHooks === true
        ? ['Its settings say "disableAllHooks": none of its hooks runs until that is taken out.']
        : [],
  },
  {
    dialect: codex,
    commands: ["codex"],
    package: "@openai/codex",
    tried: "0.166.0",
    scopes: codexInstall.scopes,
    canary: canaryCall(codex),
    settingsPath: codexInstall.settingsPath,
    wanted: (options) => ({ entries: codexInstall.hookEntries(options), syntax: agentSyntax.codex }),
    note: "Codex runs no hook that you have not reviewed, and says nothing of it: start codex, type /hooks and trust them. After a change of the hooks it wants that again.",
  },
  {
    dialect: gemini,
    commands: ["gemini"],
    package: "@google/gemini-cli",
    tried: "0.61.0",
    scopes: geminiInstall.scopes,
    canary: canaryCall(gemini),
    settingsPath: geminiInstall.settingsPath,
    wanted: (options) => ({ entries: geminiInstall.hookEntries(options), syntax: agentSyntax.gemini }),
    cautions: ({ scope, settings }) => [
      ...(geminiInstall.isSwitchedOff(settings) ? ["Its settings switch hooks off (hooksConfig): none runs until that is taken out."] : []),
      ...(scope === "project" ? ["It reads a project's settings only in a folder that you trust: it asks when it is started there."] : []),
    ],
  },
  {
    dialect: copilot,
    commands: ["copilot"],
    package: "@github/copilot",
    tried: "1.0.102",
    scopes: copilotInstall.scopes,
    canary: canaryCall(copilot),
    settingsPath: copilotInstall.settingsPath,
    deliversTwice: true,
    cautions: ({ scope, env }) =>
      scope === "project" && !copilotInstall.runsProjectHooks(env)
        ? ["copilot -p runs a project's hooks only in a folder that you trust, or with GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS=true."]
        : [],
    wanted(options) {
      const { hooks, ...own } = copilotInstall.hookEntries(options);
      return { entries: hooks, own, syntax: agentSyntax.copilot };
    },
  },
];

export function findAgent(id: string): AgentProgram | undefined {
  return programs.find(({ dialect }) => dialect.id === id);
}
