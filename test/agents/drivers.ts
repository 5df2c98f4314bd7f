import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { findAgent } from "../../packages/hookline/dist/agents/agents.js";
import { triedVersion } from "../../packages/hookline/dist/agents/shared/contract.js";
import type { AgentDefinition, AgentPower } from "../../packages/hookline/src/agents/shared/definition.ts";
import type { Call } from "./fake-model/conversation.ts";

/** How one of the agents is installed, set up and run without a person and without the internet. */
export interface AgentDriver {
  readonly id: string;
  readonly title: string;
  readonly package: string;
  /** The version that all this was measured on. */
  readonly version: string;
  /** The version of the package, which may count in another way. */
  readonly packageVersion: string;
  readonly program: string;
  /** Its definition: what it can do, and where its hooks are. */
  readonly definition: AgentDefinition;
  /** The file that its hooks are written into, for every session. */
  settingsPath(home: string): string;
  /** A call of its shell tool, as its model makes it. */
  shell(command: string): Call;
  /** A call of the tool that writes a file. */
  write(path: string, text: string): Call;
  /** Files of its own that it needs before it runs. */
  readonly settings: { readonly [path: string]: string };
  env(modelUrl: string): NodeJS.ProcessEnv;
  args(prompt: string, options: RunOptions): readonly string[];
  /** A denied call ends its run, and the model does not learn why. */
  readonly endsOnDeny?: true;
  /** The process that it leaves running, by the files in its home. */
  leftover?(home: string): number | undefined;
  /** For an agent that reads the address of its model from a file: puts it there before a run. */
  prepare?(home: string, modelUrl: string): void;
  /** The scenarios that it cannot have, each with the reason. What it can do at all is in its definition. `<name> --strict`: only then. */
  readonly unable?: { readonly [scenario: string]: string };
  /** Events of ours that may be missing in a run like these, each with the reason. */
  readonly silent?: { readonly [event: string]: string };
}

/** The versions of packages that count in another way than the program. */
const packageVersions: { readonly [id: string]: string } = { goose: "0.20.1" };

/** What the definition of the agent says. */
function known(
  id: string,
): Pick<AgentDriver, "id" | "title" | "package" | "version" | "packageVersion" | "program" | "definition" | "settingsPath"> {
  const agent = findAgent(id);
  const { package: packageName, commands: [program] = [] } = agent?.program ?? {};
  const tried = agent === undefined ? undefined : triedVersion(agent.contracts);
  if (agent === undefined || packageName === undefined || tried === undefined || program === undefined)
    throw new Error(`"${id}" is not an agent that can be installed and tried.`);
  const { title, install } = agent;
  return {
    id,
    title,
    package: packageName,
    version: tried,
    packageVersion: packageVersions[id] ?? tried,
    program,
    definition: agent,
    settingsPath: (home) => install.settingsPath("user", { HOME: home }, home),
  };
}

export interface RunOptions {
  readonly modelUrl: string;
  /** Leaves its own permissions on: nobody is there to be asked, so a tool runs only if a hook allows it. */
  readonly isCareful?: boolean;
  /** Goes on with the session before. */
  readonly isResumed?: boolean;
  /** Codex: as it comes, without the flag that runs hooks nobody has reviewed. */
  readonly isUntrusted?: boolean;
  /** More options. */
  readonly extra?: readonly string[];
}

const claudeCode: AgentDriver = {
  ...known("claude-code"),
  shell: (command) => ({ tool: "Bash", input: { command, description: "Runs a command" } }),
  write: (path, text) => ({ tool: "Write", input: { file_path: path, content: text } }),
  settings: {},
  env: (url) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "none",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
  }),
  args: (prompt, { isCareful = false, isResumed = false, extra = [] }) => [
    ...extra,
    "-p",
    prompt,
    ...(isResumed ? ["--continue"] : []),
    ...(isCareful ? [] : ["--allowedTools", "Bash", "Write", "Task", "Agent"]),
  ],
};

const codex: AgentDriver = {
  ...known("codex"),
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
  args: (prompt, { modelUrl, isUntrusted = false, isResumed = false, extra = [] }) => [
    "exec",
    ...extra,
    "-c",
    `model_providers.fake.base_url="${modelUrl}/v1"`,
    "--skip-git-repo-check",
    ...(isUntrusted ? [] : ["--dangerously-bypass-hook-trust"]),
    ...(isResumed ? ["resume", "--last"] : []),
    prompt,
  ],
};

const gemini: AgentDriver = {
  ...known("gemini"),
  shell: (command) => ({ tool: "run_shell_command", input: { command, description: "Runs a command" } }),
  write: (path, text) => ({ tool: "write_file", input: { file_path: path, content: text } }),
  settings: {
    ".gemini/settings.json": `${JSON.stringify({ security: { auth: { selectedType: "gemini-api-key" } }, privacy: { usageStatisticsEnabled: false }, general: { disableAutoUpdate: true } }, undefined, 2)}\n`,
  },
  env: (url) => ({ GEMINI_API_KEY: "none", GOOGLE_GEMINI_BASE_URL: url, GEMINI_CLI_TRUST_WORKSPACE: "true" }),
  args: (prompt, { isResumed = false, extra = [] }) => [
    ...extra,
    ...(isResumed ? ["--resume", "latest"] : []),
    "--yolo",
    "-m",
    "gemini-2.5-flash",
    "-p",
    prompt,
  ],
};

const copilot: AgentDriver = {
  ...known("copilot"),
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
  args: (prompt, { isResumed = false, extra = [] }) => [
    ...extra,
    "-p",
    prompt,
    ...(isResumed ? ["--continue"] : []),
    "--allow-all-tools",
    "--disable-client-telemetry",
  ],
};

const openCode: AgentDriver = {
  ...known("opencode"),
  settingsPath: (home) => join(home, "config", "opencode", "plugins", "hookline.js"),
  shell: (command) => ({ tool: "bash", input: { command, description: "Runs a command" } }),
  write: (path, text) => ({ tool: "write", input: { filePath: path, content: text } }),
  settings: {
    "config/opencode/opencode.json": `${JSON.stringify(
      {
        model: "fake/fake-model",
        small_model: "fake/fake-model",
        share: "disabled",
        provider: {
          fake: {
            npm: "@ai-sdk/openai-compatible",
            options: { baseURL: "{env:FAKE_URL}/v1", apiKey: "none" },
            models: { "fake-model": { name: "fake" } },
          },
        },
      },
      undefined,
      2,
    )}\n`,
    // It would wait for a package from the internet, which only plugins in TypeScript need. It takes these for the installed package.
    ...noPackages("config/opencode"),
    ...noPackages("project/.opencode"),
  },
  env: (url) => ({ FAKE_URL: url, OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" }),
  args: (prompt, { isResumed = false, extra = [] }) => ["run", ...extra, ...(isResumed ? ["--continue"] : []), prompt],
};

function noPackages(folder: string): { readonly [path: string]: string } {
  const lock = { packages: { "": { dependencies: { "@opencode-ai/plugin": "1.18.33" } } } };
  return { [`${folder}/package-lock.json`]: JSON.stringify(lock), [`${folder}/node_modules/.keep`]: "" };
}

const pi: AgentDriver = {
  ...known("pi"),
  shell: (command) => ({ tool: "bash", input: { command } }),
  write: (path, text) => ({ tool: "write", input: { path, content: text } }),
  settings: {
    ".pi/agent/extensions/fake.ts": `export default (pi) => pi.registerProvider("fake", {
  baseUrl: process.env.FAKE_URL + "/v1",
  apiKey: "none",
  api: "openai-completions",
  models: [{ id: "fake-model", name: "fake", reasoning: false, input: ["text"], cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, contextWindow: 8000000, maxTokens: 4096 }],
});
`,
  },
  env: (url) => ({ FAKE_URL: url, PI_OFFLINE: "1" }),
  args: (prompt, { isResumed = false, extra = [] }) => [
    ...extra,
    ...(isResumed ? ["--continue"] : []),
    "--provider",
    "fake",
    "--model",
    "fake-model",
    "-p",
    prompt,
  ],
};

function because(reason: string, scenarios: readonly string[]): { readonly [scenario: string]: string } {
  return Object.fromEntries(scenarios.map((name) => [name, reason]));
}

const outputStays = because("a hook cannot replace the output of a call", ["output", "output-broken", "output-hub-killed"]);
const ONE_PROMPT = "it can be told something only with a prompt, and a run without a person has one";

const qwen: AgentDriver = {
  ...known("qwen"),
  shell: (command) => ({ tool: "run_shell_command", input: { command, is_background: false } }),
  write: (path, text) => ({ tool: "write_file", input: { file_path: path, content: text } }),
  settings: {
    ".qwen/settings.json": `${JSON.stringify({ security: { auth: { selectedType: "openai" } }, privacy: { usageStatisticsEnabled: false }, general: { disableAutoUpdate: true } }, undefined, 2)}\n`,
  },
  env: (url) => ({
    OPENAI_API_KEY: "none",
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_MODEL: "fake-model",
    QWEN_CODE_SUPPRESS_YOLO_WARNING: "1",
  }),
  args: (prompt, { isResumed = false, extra = [] }) => [...extra, ...(isResumed ? ["--continue"] : []), "--yolo", "-p", prompt],
  silent: { "session:end": "qwen -p ends without it" },
  unable: {
    ...outputStays,
    reminder: "qwen -p ends without the event that would leave the reminder",
    ...because("after each call it asks about the prompt again, and a denied prompt ends the run", [
      "hub-broken --strict",
      "stranger --strict",
    ]),
  },
};

const kimi: AgentDriver = {
  ...known("kimi"),
  shell: (command) => ({ tool: "Bash", input: { command } }),
  write: (path, text) => ({ tool: "Write", input: { path, content: text } }),
  settings: {
    ".kimi-code/config.toml": `default_model = "fake"

[providers.fake]
type = "openai"
base_url = "http://127.0.0.1:9/v1"
api_key = "none"

[models.fake]
provider = "fake"
model = "fake-model"
max_context_size = 200000
`,
  },
  env: () => ({ KIMI_CODE_NO_AUTO_UPDATE: "1" }),
  prepare(home, url) {
    const path = join(home, ".kimi-code", "config.toml");
    writeFileSync(path, readFileSync(path, "utf8").replace(/base_url = ".*"/, `base_url = "${url}/v1"`));
  },
  args: (prompt, { isResumed = false, extra = [] }) => [...extra, ...(isResumed ? ["--continue"] : []), "-p", prompt],
  silent: { "session:end": "kimi -p ends without it", "tool:after": "it does not wait for this hook, and may end before it has run" },
  unable: {
    ...outputStays,
    "attached-twice": "it has no hooks for one project",
    context: ONE_PROMPT,
    steer: ONE_PROMPT,
    reminder: "kimi -p ends without the event that would leave the reminder",
  },
};

const cline: AgentDriver = {
  ...known("cline"),
  endsOnDeny: true,
  shell: (command) => ({ tool: "run_commands", input: { commands: [command] } }),
  write: (path, text) => ({ tool: "editor", input: { path, new_text: text } }),
  settings: {},
  // Its daemon would be shared by runs at the same time.
  env: (url) => ({ CLINE_HUB_PORT: String(20_000 + (Number(new URL(url).port) % 10_000)), CLINE_TELEMETRY_DISABLED: "1" }),
  prepare(home, url) {
    const settings = { provider: "openai-compatible", apiKey: "none", model: "fake-model", baseUrl: `${url}/v1` };
    const providers = { "openai-compatible": { settings, updatedAt: new Date().toISOString(), tokenSource: "manual" } };
    const text = JSON.stringify({ version: 1, lastUsedProvider: "openai-compatible", modes: {}, providers });
    putFiles(home, { ".cline/data/settings/providers.json": text });
  },
  leftover(home) {
    const pids = existsSync("/proc/self") ? readdirSync("/proc").filter((name) => /^\d+$/.test(name)) : [];
    return pids.map(Number).find((pid) => isDaemonOf(home, pid));
  },
  args: (prompt, { extra = [] }) => ["--json", "--auto-approve", "true", ...extra, prompt],
  silent: {
    "prompt:submit": "cline reports no prompt in a run without a person",
    "session:end": "cline ends without it",
    "finish:before": "it does not wait for this hook, and may end before it has run",
    "session:start": "it does not wait for this hook",
  },
  unable: {
    ...outputStays,
    ...because("cline reports no prompt in a run without a person", ["prompt", "prompt-built", "reminder", "inject"]),
    resume: "it continues a session only by its id",
    ...because("a denied call ends the run", ["parallel", "steer-interrupt", "attached-twice"]),
  },
};

/** By the folder that it was started in, which no other run has. */
function isDaemonOf(home: string, pid: number): boolean {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    return words.includes("--cline-hub-daemon") && words.some((word) => word.startsWith(`${home}/`));
  } catch {
    return false;
  }
}

const goose: AgentDriver = {
  ...known("goose"),
  shell: (command) => ({ tool: "shell", input: { command } }),
  write: (path, text) => ({ tool: "write", input: { path, content: text } }),
  settings: {},
  env: (url) => ({
    OPENAI_HOST: url,
    OPENAI_API_KEY: "none",
    GOOSE_DISABLE_KEYRING: "1",
    GOOSE_PROVIDER: "openai",
    GOOSE_MODEL: "gpt-4o",
    GOOSE_MODE: "auto",
    GOOSE_TELEMETRY_ENABLED: "false",
  }),
  args: (prompt, { isResumed = false, extra = [] }) => ["run", ...extra, ...(isResumed ? ["--resume"] : []), "-t", prompt],
  silent: { "finish:before": "this version has no such event" },
  unable: {
    ...outputStays,
    ...because("this version runs every call, whatever its hooks say", [
      "deny",
      "tool-name",
      "modify",
      "end-loop",
      "ask-yes",
      "ask-no",
      "ask-nobody",
      "parallel",
      "huge",
      "hub-killed-during",
      "hub-back",
      "too-deep",
      "extension-crashed",
      "rule-broken-later",
      "rule-broken-before",
      "attached-twice",
      "keys-rotated",
      "steer-interrupt",
    ]),
    ...because("this version can be told nothing", ["inject", "prompt", "context", "reminder", "prompt-built", "steer"]),
  },
};

export const drivers: readonly AgentDriver[] = [claudeCode, codex, gemini, copilot, openCode, pi, qwen, kimi, cline, goose];

export function putFiles(folder: string, files: { readonly [path: string]: string }): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, text, { mode: 0o600 });
  }
}

/** Whether the agent can do that with an answer to its event for one of ours. */
export function canDo({ definition: { events } }: AgentDriver, event: string, power: AgentPower): boolean {
  return Object.values(events).some((native) => native.event === event && native.leftAlone === undefined && native.can.includes(power));
}
