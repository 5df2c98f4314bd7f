import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AgentId } from "../../packages/hookline/src/agents/shared/definition.ts";
import type { Call } from "./fake-model/conversation.ts";

/** How one of the agents is installed, set up and run without a person and without the internet. */
export interface AgentDriver {
  readonly id: AgentId;
  readonly title: string;
  readonly package: string;
  /** The version that all this was measured on. */
  readonly version: string;
  readonly program: string;
  /** A call of its shell tool, as its model makes it. */
  shell(command: string): Call;
  /** A call of the tool that writes a file. */
  write(path: string, text: string): Call;
  /** Files of its own that it needs before it runs. */
  readonly settings: { readonly [path: string]: string };
  env(modelUrl: string): NodeJS.ProcessEnv;
  args(prompt: string, options: RunOptions): readonly string[];
}

export interface RunOptions {
  readonly modelUrl: string;
  /** Leaves its own permissions on: nobody is there to be asked, so a tool runs only if a hook allows it. */
  readonly isCareful?: boolean;
  /** Goes on with the session before. */
  readonly isResumed?: boolean;
  /** Codex: as it comes, without the flag that runs hooks nobody has reviewed. */
  readonly isUntrusted?: boolean;
}

const claudeCode: AgentDriver = {
  id: "claude-code",
  title: "Claude Code",
  package: "@anthropic-ai/claude-code",
  version: "2.1.325",
  program: "claude",
  shell: (command) => ({ tool: "Bash", input: { command, description: "Runs a command" } }),
  write: (path, text) => ({ tool: "Write", input: { file_path: path, content: text } }),
  settings: {},
  env: (url) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "none",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
  }),
  args: (prompt, { isCareful = false, isResumed = false }) => [
    "-p",
    prompt,
    ...(isResumed ? ["--continue"] : []),
    ...(isCareful ? [] : ["--allowedTools", "Bash", "Write", "Task", "Agent"]),
  ],
};

const codex: AgentDriver = {
  id: "codex",
  title: "Codex",
  package: "@openai/codex",
  version: "0.166.0",
  program: "codex",
  shell: (command) => ({ tool: "exec_command", input: { cmd: command } }),
  // Its own tool for that is a patch, which this model's answers cannot call.
  write: (path, text) => ({ tool: "exec_command", input: { cmd: `cat > '${path}' <<'END'\n${text}\nEND` } }),
  settings: {
    ".codex/config.toml": `model = "fake-model"
model_provider = "fake"
approval_policy = "never"
sandbox_mode = "danger-full-access"
[model_providers.fake]
name = "fake"
env_key = "FAKE_KEY"
wire_api = "responses"
[analytics]
enabled = false
# At its end it would wait for a list of plugins from the internet.
[features]
plugins = false
`,
  },
  env: () => ({ FAKE_KEY: "none" }),
  args: (prompt, { modelUrl, isUntrusted = false, isResumed = false }) => [
    "exec",
    "-c",
    `model_providers.fake.base_url="${modelUrl}/v1"`,
    "--skip-git-repo-check",
    ...(isUntrusted ? [] : ["--dangerously-bypass-hook-trust"]),
    ...(isResumed ? ["resume", "--last"] : []),
    prompt,
  ],
};

const gemini: AgentDriver = {
  id: "gemini",
  title: "Gemini CLI",
  package: "@google/gemini-cli",
  version: "0.61.0",
  program: "gemini",
  shell: (command) => ({ tool: "run_shell_command", input: { command, description: "Runs a command" } }),
  write: (path, text) => ({ tool: "write_file", input: { file_path: path, content: text } }),
  settings: {
    ".gemini/settings.json": `${JSON.stringify({ security: { auth: { selectedType: "gemini-api-key" } }, privacy: { usageStatisticsEnabled: false }, general: { disableAutoUpdate: true } }, undefined, 2)}\n`,
  },
  env: (url) => ({ GEMINI_API_KEY: "none", GOOGLE_GEMINI_BASE_URL: url, GEMINI_CLI_TRUST_WORKSPACE: "true" }),
  args: (prompt, { isResumed = false }) => [...(isResumed ? ["--resume", "latest"] : []), "--yolo", "-m", "gemini-2.5-flash", "-p", prompt],
};

const copilot: AgentDriver = {
  id: "copilot",
  title: "Copilot CLI",
  package: "@github/copilot",
  version: "1.0.102",
  program: "copilot",
  shell: (command) => ({ tool: "bash", input: { command, description: "Runs a command" } }),
  write: (path, text) => ({ tool: "create", input: { path, file_text: text } }),
  settings: {},
  env: (url) => ({
    COPILOT_OFFLINE: "true",
    COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
    COPILOT_MODEL: "fake-model",
    COPILOT_AUTO_UPDATE: "false",
    COPILOT_ALLOW_ALL: "true",
  }),
  args: (prompt, { isResumed = false }) => [
    "-p",
    prompt,
    ...(isResumed ? ["--continue"] : []),
    "--allow-all-tools",
    "--disable-client-telemetry",
  ],
};

export const drivers: readonly AgentDriver[] = [claudeCode, codex, gemini, copilot];

export function putFiles(folder: string, files: { readonly [path: string]: string }): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, text, { mode: 0o600 });
  }
}
