import type { CommandEntry, OptionEffect, OptionTable, ProgramEntry } from "../program-entry.js";
import { plain } from "./plain-options.js";

const targets: CommandEntry = { operands: ["target..."] };
/** Options with which Claude Code runs no hooks. */
export const CLAUDE_WITHOUT_HOOKS: readonly string[] = ["--bare", "--safe-mode"];
/** Variables that do the same. */
export const CLAUDE_WITHOUT_HOOKS_VARIABLES: readonly string[] = ["CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE"];
/** It then reads only managed settings and those of `--settings`. */
export const CLAUDE_WITHOUT_FILES = "--restricted";
/** Features of Codex that run hooks. */
export const CODEX_HOOK_FEATURES = ["hooks", "codex_hooks"] as const;
/** It then does not read the user's review of hooks, and skips hooks without a review. */
export const CODEX_WITHOUT_CONFIG = "--ignore-user-config";

const skipsHooks: OptionEffect = { destroys: "guards" };
/** Commands of Hookline with the access `operate`. */
const operates: CommandEntry = { operands: ["target..."], destroys: "guards" };
/** Commands of Hookline that start another command. */
const started: CommandEntry = { operands: ["command"] };

function harmless(list: string): OptionTable {
  return Object.fromEntries(list.split(", ").map((spellings) => [spellings, { destroys: "nothing" as const }]));
}

/** Sessions of agents: what they will do is not known from the command. */
const session: OptionTable = plain(
  "-p --print --prompt TEXT, -i --prompt-interactive TEXT, -m --model NAME, -c --continue, -r --resume [ID], -d --debug [FILTER], -h --help, -v --version, --output-format FORMAT, --input-format FORMAT, --verbose, --allowedTools --allowed-tools LIST, --disallowedTools --disallowed-tools LIST, --mcp-config FILE, --append-system-prompt TEXT, --system-prompt TEXT, --add-dir DIR, --include-directories DIRS, --session-id ID, --fallback-model NAME, --max-turns N, --agents JSON, --plugin-dir DIR, --ide, --chrome, --permission-prompt-tool NAME, --tools LIST, --json-schema SCHEMA",
);

/** Agents, and Hookline itself: what switches off or bypasses the guards is an option or a subcommand. */
export const agentPrograms: readonly ProgramEntry[] = [
  {
    names: ["hookline", "hookline.js"],
    isScript: true,
    options: {
      ...harmless("--check, --dry-run, -h --help"),
      "--acknowledge": skipsHooks,
      "--repair": skipsHooks,
      "--approve": skipsHooks,
      "--phone": skipsHooks,
      "--allow-approvals": skipsHooks,
      "--reviewed": skipsHooks,
      "--remote-approvals": skipsHooks,
      "--take-over": skipsHooks,
      "--interim": skipsHooks,
      "--html FILE": { value: "write" },
      ...plain(
        "--json, --state DIR, --config FILE, -v --version, --yes, --no-color, --quiet, --name NAME, --strict, --listen PORT, --bearer-env NAME",
      ),
    },
    subcommands: {
      "approve, deny, top, inject, remind, pause, resume, logout, down, start, attach, detach, init, import, uninstall, upgrade, redeliver, prune, restore":
        operates,
      backup: { ...targets, options: { "--keys": skipsHooks } },
      export: {
        operands: ["write..."],
        options: plain(
          "-f --format NAME, -n --limit COUNT, -e --event NAME, -s --session ID, --host NAME, --source APP, --tool NAME, -d --decision VERDICT, --since TIME, --until TIME, --text WORDS",
        ),
      },
      notify: { subcommands: { test: operates, "*": targets } },
      sessions: { subcommands: { delete: operates, "*": targets } },
      service: { subcommands: { "install, uninstall": operates, "*": targets } },
      protect: { subcommands: { "on, off, passphrase, totp, code, recover": operates, "*": targets } },
      hooks: { subcommands: { "new, test, trust, revoke, enable, disable, import": operates, "*": targets } },
      rules: { subcommands: { "add, enable, disable, remove, sign, reset, promote": operates, "*": targets } },
      fleet: {
        subcommands: {
          "policy, people, hosts, always": {
            subcommands: { "push, rollback, add, remove, revoke, forget, enrol": operates, "*": targets },
          },
          "status, tail, doctor, approvals, audit": targets,
          "*": operates,
        },
      },
      mcp: {
        subcommands: {
          wrap: started,
          proxy: { operands: ["url"] },
          "attach, detach": operates,
          pins: { subcommands: { accept: operates, "*": targets } },
          "*": targets,
        },
      },
      "run, acp": started,
      policy: { subcommands: { "accept, bundle": operates, "*": targets } },
      phones: { subcommands: { "accept, remove": operates, "*": targets } },
      token: { subcommands: { "rotate, metrics": operates, "*": targets } },
      "*": targets,
    },
    examples: {
      "hookline down": { verb: "down", destroys: ["guards"] },
      "hookline attach codex --check": { verb: "attach", destroys: [] },
      "hookline rules explain 'hookline down'": { destroys: [] },
      "hookline mcp wrap --name files -- npx -y server .": { program: "server", via: ["hookline", "npx"] },
      "hookline run -- rm -rf /": { program: "rm", via: ["hookline"] },
      "hookline mcp pins accept files": { verb: "mcp pins accept", destroys: ["guards"] },
      "hookline open --approve": { destroys: ["guards"] },
      "hookline pause --reason --help": { verb: "pause", destroys: ["guards"] },
      "hookline pause --help": { verb: "pause", destroys: [] },
      "hookline export --tool Bash out.jsonl": { verb: "export", writes: ["out.jsonl"] },
      "hookline phones accept 1 123456": { verb: "phones accept", destroys: ["guards"] },
      "hookline phones list": { verb: "phones list", destroys: [] },
      "node node_modules/.bin/hookline down": { program: "hookline", verb: "down", via: ["node"] },
      "packages/x/bin/hookline.js pause": { program: "hookline.js", verb: "pause", destroys: ["guards"] },
      "node ../x/bin/hookline.js status": { program: "hookline.js", verb: "status", via: ["node"], destroys: [] },
      "npx hookline rules list": { program: "hookline", verb: "rules list", via: ["npx"] },
    },
  },
  {
    names: ["claude", "claude-code"],
    isScript: true,
    options: {
      ...session,
      "--settings FILE": { values: { "*disableAllHooks*": skipsHooks } },
      "--setting-sources LIST": {
        values: { "": skipsHooks, project: skipsHooks, local: skipsHooks, "project,local": skipsHooks, "local,project": skipsHooks },
      },
      ...Object.fromEntries([...CLAUDE_WITHOUT_HOOKS, CLAUDE_WITHOUT_FILES].map((option) => [option, skipsHooks])),
      ...plain(
        "--dangerously-skip-permissions, --allow-dangerously-skip-permissions, --permission-mode MODE, --strict-mcp-config, --no-session-persistence, -w --worktree [NAME], --fork-session, --disable-slash-commands",
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
      "claude --safe-mode -p hi": { destroys: ["guards"] },
      "claude --settings='{\"disableAllHooks\": true}'": { destroys: ["guards"] },
      "claude --settings my.json -p hi": { destroys: [] },
    },
  },
  {
    names: ["codex"],
    isScript: true,
    options: {
      "-C --cd DIR": { value: "dir" },
      "-c --config VALUE": { values: { "hooks*": skipsHooks, "features*hooks*": skipsHooks } },
      "--disable NAME": { values: Object.fromEntries(CODEX_HOOK_FEATURES.map((name) => [name, skipsHooks])) },
      [CODEX_WITHOUT_CONFIG]: skipsHooks,
      ...plain(
        "-m --model NAME, -p --profile NAME, -s --sandbox MODE, -a --ask-for-approval POLICY, --full-auto, --dangerously-bypass-approvals-and-sandbox --yolo, --dangerously-bypass-hook-trust, --search, -i --image FILE, --oss, --enable NAME, --add-dir DIR, --no-alt-screen, --remote ADDRESS, --local-provider NAME, -h --help, -V --version",
      ),
    },
    subcommands: {
      "exec e": {
        operands: ["target..."],
        options: plain(
          "--json, -o --output-last-message FILE, --output-schema FILE, --skip-git-repo-check, --color MODE, --last, --ephemeral, --ignore-rules",
        ),
      },
      sandbox: { operands: ["text...", "text"] },
      features: {
        subcommands: {
          disable: {
            operands: ["target..."],
            verbs: { [CODEX_HOOK_FEATURES.join(", ")]: { operands: ["target..."], destroys: "guards" } },
          },
          "*": targets,
        },
      },
      "resume, fork, login, logout, mcp, mcp-server, app-server, app, completion, apply, a, review, cloud, debug, execpolicy, plugin, help, update":
        targets,
    },
    examples: {
      "codex exec --yolo hi": { verb: "exec", options: ["--dangerously-bypass-approvals-and-sandbox"] },
      "codex -C sub -c x=1 login": { dir: "sub", verb: "login", destroys: [] },
      "codex --disable hooks exec hi": { destroys: ["guards"] },
      "codex exec -c features.hooks=false hi": { destroys: ["guards"] },
      "codex features disable hooks": { destroys: ["guards"] },
      "codex features disable search": { destroys: [] },
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
    subcommands: {
      "hooks hook": { subcommands: { "disable, disable-all": { operands: ["target..."], destroys: "guards" }, "*": targets } },
      "mcp, extensions, extension, skills, skill": { verbWords: 1, operands: ["target..."] },
    },
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
