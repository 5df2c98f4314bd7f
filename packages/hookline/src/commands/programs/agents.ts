import type { CommandEntry, OptionTable, ProgramEntry } from "../program-entry.js";
import { plain } from "./plain-options.js";

const targets: CommandEntry = { operands: ["target..."] };
/** Sessions of agents: what they will do is not known from the command. */
const session: OptionTable = plain(
  "-p --print --prompt TEXT, -i --prompt-interactive TEXT, -m --model NAME, -c --continue, -r --resume [ID], -d --debug [FILTER], -h --help, -v --version, --output-format FORMAT, --input-format FORMAT, --verbose, --allowedTools --allowed-tools LIST, --disallowedTools --disallowed-tools LIST, --mcp-config FILE, --append-system-prompt TEXT, --system-prompt TEXT, --add-dir DIR, --include-directories DIRS, --session-id ID, --fallback-model NAME, --max-turns N, --agents JSON, --plugin-dir DIR, --ide, --chrome, --permission-prompt-tool NAME, --tools LIST, --json-schema SCHEMA",
);

/** Agents, and Hookline itself: what switches off or bypasses the guards is an option or a subcommand. */
export const agentPrograms: readonly ProgramEntry[] = [
  {
    names: ["hookline"],
    isScript: true,
    options: plain(
      "--json, --state DIR, --config FILE, -h --help, -v --version, --yes, --no-color, --quiet, --check, --dry-run, --acknowledge, --approve, --reviewed",
    ),
    subcommands: { "*": { operands: ["target..."] } },
    examples: {
      "hookline down": { verb: "down" },
      "node node_modules/.bin/hookline down": { program: "hookline", verb: "down", via: ["node"] },
      "npx hookline rules list": { program: "hookline", verb: "rules", target: ["list"], via: ["npx"] },
    },
  },
  {
    names: ["claude", "claude-code"],
    isScript: true,
    options: {
      ...session,
      "--settings FILE": {},
      "--setting-sources LIST": {},
      ...plain(
        "--dangerously-skip-permissions, --allow-dangerously-skip-permissions, --permission-mode MODE, --bare, --strict-mcp-config, --no-session-persistence, -w --worktree [NAME], --fork-session, --disable-slash-commands",
      ),
    },
    subcommands: {
      "mcp, config, plugin, plugins, update, upgrade, install, doctor, setup-token, auth, agents, remote-control, auto-mode": {
        operands: ["target..."],
      },
    },
    examples: {
      "claude --dangerously-skip-permissions -p hi": { options: ["--dangerously-skip-permissions", "--print"] },
      "npx @anthropic-ai/claude-code -p hi": { program: "claude-code" },
      "claude mcp list": { verb: "mcp" },
    },
  },
  {
    names: ["codex"],
    isScript: true,
    options: {
      "-C --cd DIR": { value: "dir" },
      ...plain(
        "-c --config VALUE, -m --model NAME, -p --profile NAME, -s --sandbox MODE, -a --ask-for-approval POLICY, --full-auto, --dangerously-bypass-approvals-and-sandbox --yolo, --dangerously-bypass-hook-trust, --search, -i --image FILE, --oss, --enable NAME, --disable NAME, --add-dir DIR, --no-alt-screen, --remote ADDRESS, --local-provider NAME, -h --help, -V --version",
      ),
    },
    subcommands: {
      "exec e": {
        operands: ["target..."],
        options: plain(
          "--json, -o --output-last-message FILE, --output-schema FILE, --skip-git-repo-check, --color MODE, --last, --ephemeral, --ignore-user-config, --ignore-rules",
        ),
      },
      sandbox: { operands: ["text...", "text"] },
      "resume, fork, login, logout, mcp, mcp-server, app-server, app, completion, apply, a, review, cloud, features, debug, execpolicy, plugin, help, update":
        targets,
    },
    examples: {
      "codex exec --yolo hi": { verb: "exec", options: ["--dangerously-bypass-approvals-and-sandbox"] },
      "codex -C sub -c x=1 login": { dir: "sub", verb: "login" },
    },
  },
  {
    names: ["gemini", "gemini-cli"],
    isScript: true,
    options: {
      ...session,
      ...plain(
        "-y --yolo, --approval-mode MODE, -s --sandbox, -e --extensions NAMES, -l --list-extensions, --list-sessions, --delete-session ID, --allowed-mcp-server-names NAMES, -o --output-format FORMAT, --acp --experimental-acp, --screen-reader, --policy FILE",
      ),
    },
    subcommands: { "mcp, extensions, extension, hooks, hook, skills, skill": { verbWords: 1, operands: ["target..."] } },
    examples: { "gemini -y -p hi": { options: ["--yolo", "--print"] }, "gemini hooks migrate": { verb: "hooks migrate" } },
  },
  {
    names: ["copilot", "copilot-cli"],
    isScript: true,
    options: {
      ...session,
      ...plain(
        "--allow-all-tools, --allow-all --yolo, --allow-all-paths, --allow-all-urls, --allow-tool NAME, --deny-tool NAME, --allow-url URL, --deny-url URL, --additional-mcp-config JSON, --agent NAME, --autopilot, --banner, --config-dir DIR, --disable-builtin-mcps, --disable-mcp-server NAME, --disallow-temp-dir, --log-dir DIR, --log-level LEVEL, --no-ask-user, --no-color, --no-custom-instructions, --no-auto-update, -s --silent, --share [FILE], --share-gist, --stream MODE, --screen-reader",
      ),
    },
    subcommands: { "help, init, login, plugin, update, version, mcp": targets },
    examples: { "copilot --allow-all-tools -p hi": { options: ["--allow-all-tools", "--print"] } },
  },
  {
    names: ["opencode"],
    also: [
      "aider",
      "cline",
      "amp",
      "crush",
      "cursor-agent",
      "qwen",
      "auggie",
      "droid",
      "kiro-cli",
      "q",
      "openhands",
      "plandex",
      "cn",
      "roo",
      "kilocode",
    ],
    operands: ["target..."],
    options: plain(
      "-p --print --prompt TEXT, -m --model --message TEXT, -y --yes --yolo --yes-always, -f --force --file FILE, --dangerously-allow-all, --auto, -c --continue, -s --session ID, --agent NAME",
    ),
    examples: { "aider --yes-always --message hi": { program: "aider" } },
  },
  {
    names: ["ollama"],
    also: ["llm", "sgpt", "mods", "fabric", "huggingface-cli", "hf"],
    verbWords: 1,
    operands: ["target..."],
    stdin: "read",
    options: plain("-m --model NAME, -s --system TEXT, -t --template NAME"),
    examples: { "ollama run x": { verb: "run" } },
  },
];
