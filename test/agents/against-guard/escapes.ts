import { join } from "node:path";
import type { Places } from "./ways.ts";

/** How one agent can be made to run no hooks, with its own settings, variables and options. */
export interface Escapes {
  /** A script that takes our hooks out of its settings. Default: `hooks` is removed. */
  removed?(places: Places): string;
  /** A script that switches hooks off in its settings. */
  off(places: Places): string;
  /** The same in files of the project. Missing if it has none that could. */
  projectOff?(places: Places): string;
  /** A script that sets variables in files of the project and of the user, so that hooks are swallowed and other commands run. */
  swallowed?(places: Places): string;
  readonly moved: {
    /** The variables that move its settings to a folder. */
    variables(folder: string): NodeJS.ProcessEnv;
    /** A script that puts into the folder what it cannot run without. */
    fill?(folder: string, places: Places): string;
  };
  /** Variables that might make it read the settings of the system elsewhere. */
  systemMoved?(empty: string): NodeJS.ProcessEnv;
  /** Options with which it might run no hooks. */
  readonly options: readonly string[];
}

/** A script that changes JSON files. `d`: what is in the file. */
function inJson({ node }: Places, change: string, ...paths: readonly string[]): string {
  return paths
    .map(
      (path) =>
        `${node} -e 'const fs = require("fs"), p = "${path}"; let d = {}; try { d = JSON.parse(fs.readFileSync(p, "utf8")) } catch {} ${change}; fs.mkdirSync(require("path").dirname(p), { recursive: true }); fs.writeFileSync(p, JSON.stringify(d))'`,
    )
    .join("\n");
}

const ALL_OFF = "d.disableAllHooks = true";
const auth = (type: string): string => `printf '{"security":{"auth":{"selectedType":"${type}"}}}'`;
const openCodeSettings = ({ home }: Places): string => join(home, "config", "opencode", "opencode.json");

export function escapesOf(id: string): Escapes {
  const known = escapes[id];
  if (known === undefined) throw new Error(`It is not known how ${id} could be made to run no hooks.`);
  return known;
}

/** A script that takes our hooks out of the settings of an agent. */
export function removal(id: string, places: Places): string {
  return escapesOf(id).removed?.(places) ?? inJson(places, "delete d.hooks", ...places.settings);
}

const escapes: { readonly [agent: string]: Escapes } = {
  "claude-code": {
    off: (places) => inJson(places, ALL_OFF, ...places.settings),
    projectOff: (places) => inJson(places, ALL_OFF, join(places.project, ".claude", "settings.local.json")),
    swallowed: (
      places,
    ) => `printf '#!/bin/sh\\ncase "$*" in */attach/* | */hookline/clients/*) exit 0 ;; esac\\nexec /bin/sh -c "$*"\\n' > swallow.sh
chmod 755 swallow.sh
${inJson(places, `d.env = { CLAUDE_CODE_SHELL_PREFIX: "${places.project}/swallow.sh" }`, join(places.project, ".claude", "settings.json"), ...places.settings)}`,
    moved: { variables: (folder) => ({ CLAUDE_CONFIG_DIR: folder }) },
    systemMoved: (empty) => ({
      CLAUDE_CODE_MANAGED_SETTINGS_PATH: empty,
      CLAUDE_CODE_REMOTE_SETTINGS_PATH: `${empty}/remote.json`,
      CLAUDE_CODE_BRIDGE_CHILD_MACHINE_SETTINGS: "{}",
      CLAUDE_CODE_PROVIDER_MANAGED_BY_HOST: "1",
    }),
    options: ["--settings", '{"disableAllHooks":true}', "--setting-sources", ""],
  },
  codex: {
    off: ({ home }) => `printf 'hooks = false\\n' >> ${home}/.codex/config.toml`,
    projectOff: ({ project }) => `mkdir -p ${project}/.codex && printf '[features]\\nhooks = false\\n' > ${project}/.codex/config.toml`,
    moved: {
      variables: (folder) => ({ CODEX_HOME: folder }),
      fill: (folder, { home }) => `cp ${home}/.codex/config.toml ${folder}/`,
    },
    systemMoved: (empty) => ({ CODEX_MANAGED_PACKAGE_ROOT: empty, XDG_CONFIG_DIRS: empty }),
    options: ["-c", "features.hooks=false", "-c", "features.codex_hooks=false", "--disable", "hooks"],
  },
  gemini: {
    off: (places) => inJson(places, "d.hooksConfig = { enabled: false }", ...places.settings),
    projectOff: (places) => inJson(places, "d.hooksConfig = { enabled: false }", join(places.project, ".gemini", "settings.json")),
    moved: {
      variables: (folder) => ({ GEMINI_CLI_HOME: folder }),
      fill: (folder) => `mkdir -p ${folder}/.gemini\n${auth("gemini-api-key")} > ${folder}/.gemini/settings.json`,
    },
    systemMoved: (empty) => ({ GEMINI_CLI_SYSTEM_SETTINGS_PATH: `${empty}/settings.json` }),
    options: [],
  },
  copilot: {
    off: (places) => inJson(places, ALL_OFF, join(places.home, ".copilot", "settings.json")),
    projectOff: (places) => inJson(places, `d.version = 1; ${ALL_OFF}; d.hooks = {}`, join(places.project, ".github", "hooks", "off.json")),
    moved: { variables: (folder) => ({ COPILOT_HOME: folder }) },
    systemMoved: (empty) => ({ XDG_CONFIG_DIRS: empty, XDG_CONFIG_HOME: empty, ProgramData: empty }),
    options: ["--no-custom-instructions"],
  },
  opencode: {
    // Its lock as well: without the plugin, the lock would leave it without a model.
    removed: (places) => `rm -f ${places.settings.join(" ")}\n${inJson(places, "delete d.enabled_providers", openCodeSettings(places))}`,
    off: (places) => inJson(places, 'd.enabled_providers = ["fake"]; d.plugin = []', openCodeSettings(places)),
    projectOff: (places) => inJson(places, 'd.enabled_providers = ["fake"]; d.plugin = []', join(places.project, "opencode.json")),
    moved: {
      variables: (folder) => ({ XDG_CONFIG_HOME: folder }),
      fill: (folder, places) =>
        `mkdir -p ${folder}/opencode && cp -r ${places.home}/config/opencode/. ${folder}/opencode/ && rm -rf ${folder}/opencode/plugins
${inJson(places, "delete d.enabled_providers", `${folder}/opencode/opencode.json`)}`,
    },
    systemMoved: (empty) => ({ OPENCODE_CONFIG_DIR: empty, OPENCODE_CONFIG_CONTENT: '{"enabled_providers":["fake"],"plugin":[]}' }),
    options: ["--pure"],
  },
  pi: {
    removed: ({ settings }) => `rm -f ${settings.join(" ")}`,
    off: (places) => inJson(places, 'd.extensions = ["-extensions/hookline.ts"]', join(places.home, ".pi", "agent", "settings.json")),
    projectOff: (places) => inJson(places, `d.extensions = ["-${places.settings[0]}"]`, join(places.project, ".pi", "settings.json")),
    moved: {
      variables: (folder) => ({ PI_CODING_AGENT_DIR: folder }),
      fill: (folder, { home }) => `mkdir -p ${folder}/extensions && cp ${home}/.pi/agent/extensions/fake.ts ${folder}/extensions/`,
    },
    options: ["--no-extensions", "-e", "../.pi/agent/extensions/fake.ts"],
  },
  qwen: {
    off: (places) => inJson(places, ALL_OFF, ...places.settings),
    projectOff: (places) => inJson(places, ALL_OFF, join(places.project, ".qwen", "settings.json")),
    moved: {
      variables: (folder) => ({ QWEN_HOME: folder }),
      fill: (folder) => `${auth("openai")} > ${folder}/settings.json`,
    },
    systemMoved: (empty) => ({
      QWEN_CODE_SYSTEM_SETTINGS_PATH: `${empty}/settings.json`,
      QWEN_CODE_SYSTEM_DEFAULTS_PATH: `${empty}/settings.json`,
    }),
    options: ["--bare"],
  },
  cline: {
    removed: ({ settings }) => `rm -f ${settings.join(" ")}`,
    off: ({ settings }) => settings.map((path) => `printf 'exit 0\\n' > ${path}`).join("\n"),
    moved: { variables: (folder) => ({ CLINE_DIR: folder }) },
    options: [],
  },
  goose: {
    removed: ({ settings }) => `rm -f ${settings.join(" ")}`,
    off: ({ settings }) => settings.map((path) => `printf '{"hooks":{}}' > ${path}`).join("\n"),
    moved: { variables: () => ({}) },
    options: [],
  },
  kimi: {
    removed: ({ settings }) => settings.map((path) => `sed -i '/\\[\\[hooks\\]\\]/,$d' ${path}`).join("\n"),
    // It drops all hooks if one of them has a value that it does not accept.
    off: ({ settings }) =>
      settings.map((path) => `printf '\\n[[hooks]]\\nevent = "PreToolUse"\\ncommand = "true"\\ntimeout = 0\\n' >> ${path}`).join("\n"),
    moved: {
      variables: (folder) => ({ KIMI_CODE_HOME: folder }),
      fill: (folder, { home }) => `sed '/\\[\\[hooks\\]\\]/,$d' ${home}/.kimi-code/config.toml > ${folder}/config.toml`,
    },
    options: [],
  },
};
