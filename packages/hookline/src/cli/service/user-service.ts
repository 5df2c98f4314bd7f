import { homedir, userInfo } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

/** A command and its arguments. */
export type Words = readonly [program: string, ...args: string[]];

/** How the service manager of a system runs the hub of one user. */
export interface UserService {
  readonly manager: string;
  /** The program that it starts. */
  readonly command: string;
  /** Whether it was seen to work. The others follow the documentation of their system. */
  readonly isTried: boolean;
  /** The file that describes the service; a manager without one keeps the description itself. */
  readonly file?: { readonly path: string; readonly text: string };
  readonly start: readonly Words[];
  readonly stop: readonly Words[];
  /** Succeeds while the service manager itself runs; it may not in a container, for example. */
  readonly isManaging?: Words;
  /** Succeeds while the service runs. */
  readonly isActive: Words;
  /** Prints the process that the service runs; only where the manager tells. */
  readonly mainPid?: Words;
  /** Lets the service start at boot, before the user logs in. Where that is refused, `hint` says how. */
  readonly atBoot?: Words;
  readonly logs: (options: { readonly lines: string; readonly isFollowed: boolean }) => Words;
  /** What the user may want to do once. */
  readonly hint?: string;
}

export interface UserServiceOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly platform?: NodeJS.Platform;
}

const UNIT = "hookline.service";
const LABEL = "dev.hookline.hub";
const TASK = "Hookline hub";

/** The service of this user; undefined for a system without a known manager. */
export function userService({ env, platform = process.platform }: UserServiceOptions): UserService | undefined {
  const home = env.HOME || homedir();
  const main = fileURLToPath(new URL("../main.js", import.meta.url));
  // A hub that was started by hand, or by an upgrade, is replaced once it hands over.
  const command = [process.execPath, main, "up", "--take-over"];
  if (platform === "linux") return systemd(join(env.XDG_CONFIG_HOME || join(home, ".config"), "systemd", "user", UNIT), command, env);
  if (platform === "darwin") return launchd(home, command, env);
  return platform === "win32" ? scheduledTask(command) : undefined;
}

/** The folders of the state and of the configuration, if the user has moved them, and where hooks find their programs. */
const KEPT = ["PATH", "XDG_STATE_HOME", "XDG_CONFIG_HOME"] as const;

/** The variables that are kept. npm and npx put folders before the user's own, which are gone when they have ended. */
function kept(env: NodeJS.ProcessEnv): [name: string, value: string][] {
  return KEPT.flatMap((name) => {
    const value = name === "PATH" ? withoutNpm(env.PATH ?? "") : env[name];
    return value ? [[name, value]] : [];
  });
}

function withoutNpm(path: string): string {
  return path
    .split(delimiter)
    .filter((folder) => !/[\\/](node_modules[\\/]\.bin|node-gyp-bin)[\\/]?$/.test(folder))
    .join(delimiter);
}

function systemd(path: string, command: readonly string[], env: NodeJS.ProcessEnv): UserService {
  const variables = kept(env).map(([name, value]) => `Environment=${unitWord(`${name}=${value}`)}`);
  const text = `# Written by "hookline service install".
[Unit]
Description=Hookline hub

[Service]
ExecStart=${command.map((word) => unitWord(word).replaceAll("$", "$$$$")).join(" ")}
${variables.join("\n")}
UMask=0077
Restart=on-failure
RestartSec=1
# The hub answers open questions before it ends.
TimeoutStopSec=20

[Install]
WantedBy=default.target
`;
  return {
    manager: "systemd",
    command: command.join(" "),
    isTried: true,
    file: { path, text },
    start: [
      ["systemctl", "--user", "daemon-reload"],
      ["systemctl", "--user", "enable", UNIT],
      ["systemctl", "--user", "restart", UNIT],
    ],
    stop: [["systemctl", "--user", "disable", "--now", UNIT]],
    isManaging: ["systemctl", "--user", "show", "--property=Version"],
    isActive: ["systemctl", "--user", "is-active", "--quiet", UNIT],
    logs: ({ lines, isFollowed }) => ["journalctl", "--user", "-u", UNIT, "-n", lines, "--no-pager", ...(isFollowed ? ["-f"] : [])],
    mainPid: ["systemctl", "--user", "show", "--property", "MainPID", "--value", UNIT],
    atBoot: ["loginctl", "enable-linger"],
    hint: "It starts when you log in. To start it at boot, before you log in: sudo loginctl enable-linger $USER",
  };
}

/** A word of a unit: in quotes, with nothing that systemd would replace. Only in commands, a dollar has a meaning. */
function unitWord(word: string): string {
  return `"${word.replace(/[\\"]/g, "\\$&").replaceAll("%", "%%")}"`;
}

function launchd(home: string, command: readonly string[], env: NodeJS.ProcessEnv): UserService {
  const path = join(home, "Library", "LaunchAgents", `${LABEL}.plist`);
  const log = join(home, "Library", "Logs", "hookline.log");
  const strings = (words: readonly string[]) => words.map((word) => `    <string>${xml(word)}</string>`).join("\n");
  const variables = kept(env).map(([name, value]) => `    <key>${name}</key><string>${xml(value)}</string>`);
  const text = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>${LABEL}</string>
  <key>ProgramArguments</key>
  <array>
${strings(command)}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
${variables.join("\n")}
  </dict>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
  <key>Umask</key><integer>63</integer>
  <key>StandardOutPath</key><string>${xml(log)}</string>
  <key>StandardErrorPath</key><string>${xml(log)}</string>
</dict>
</plist>
`;
  const domain = `gui/${userInfo().uid}`;
  return {
    manager: "launchd",
    command: command.join(" "),
    isTried: false,
    file: { path, text },
    start: [["launchctl", "bootstrap", domain, path]],
    stop: [["launchctl", "bootout", `${domain}/${LABEL}`]],
    isActive: ["launchctl", "print", `${domain}/${LABEL}`],
    logs: ({ lines, isFollowed }) => ["tail", "-n", lines, ...(isFollowed ? ["-f"] : []), log],
  };
}

function xml(text: string): string {
  return text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}

function scheduledTask(command: readonly string[]): UserService {
  const run = command.map((word) => `"${word}"`).join(" ");
  return {
    manager: "Task Scheduler",
    command: run,
    isTried: false,
    start: [
      ["schtasks", "/Create", "/F", "/TN", TASK, "/SC", "ONLOGON", "/TR", run],
      ["schtasks", "/Run", "/TN", TASK],
    ],
    stop: [
      ["schtasks", "/End", "/TN", TASK],
      ["schtasks", "/Delete", "/F", "/TN", TASK],
    ],
    isActive: ["schtasks", "/Query", "/TN", TASK],
    logs: () => ["schtasks", "/Query", "/V", "/FO", "LIST", "/TN", TASK],
  };
}
