import type { ProgramEntry } from "../program-entry.js";
import { plain } from "./plain-options.js";

/** Programs that run commands in a terminal, in an environment, or when files change. */
export const environmentPrograms: readonly ProgramEntry[] = [
  {
    names: ["sudoedit"],
    also: ["vipw", "vigr"],
    privileged: true,
    operands: ["edit..."],
    options: plain("-u USER, -n, -k"),
    examples: { "sudoedit /opt/conf": { writes: ["/opt/conf"] } },
  },
  {
    names: ["run0"],
    also: ["gksudo", "gksu", "kdesu", "kdesudo", "please"],
    wrapper: true,
    privileged: true,
    operands: ["command"],
    options: plain(
      "-u --user USER, --disable-internal-agent, --keep-cwd, -g --group GROUP, -D --chdir DIR, -E --setenv VALUE, --background COLOR, --nice N, --unit NAME, --via-shell, -i, --no-ask-password",
    ),
    examples: { "run0 --user ann rm x": { program: "rm", privileged: true } },
  },
  {
    names: ["nodemon"],
    also: ["reflex", "chokidar", "onchange", "watchman-make"],
    wrapper: true,
    operands: ["command"],
    stdin: "read",
    options: {
      "-x --exec COMMAND": { value: "script" },
      ...plain(
        "-a, -c --command, -d, -n, -p, -r, -s, -z, -w --watch PATH, -e --ext --exts LIST, -i --ignore PATTERN, -q --quiet, -V --verbose, -C --on-change, --delay TIME, --signal SIGNAL, --restart, -L --legacy-watch, --debounce TIME, -g GLOB, -R REGEX",
      ),
    },
    examples: { "nodemon --exec 'rm -r x'": { program: "rm" } },
  },
  {
    names: ["tmux", "byobu"],
    options: {
      "-c COMMAND": { value: "script" },
      "-f FILE": { value: "run" },
      ...plain("-2, -8, -C, -d, -D, -l, -L NAME, -N, -S PATH, -u, -v, -V"),
    },
    subcommands: {
      "new-session new": {
        operands: ["script-words"],
        options: plain("-A, -d, -D, -E, -P, -X, -c DIR, -e ENV, -f FLAGS, -F FORMAT, -n NAME, -s NAME, -t GROUP, -x N, -y N"),
      },
      "new-window, neww, split-window, splitw, respawn-pane, respawnp, respawn-window, respawnw, display-popup, popup": {
        operands: ["script-words"],
        options: plain(
          "-a, -b, -d, -k, -P, -S, -v, -h, -f, -I, -Z, -c DIR, -e ENV, -F FORMAT, -n NAME, -t TARGET, -l SIZE, -p N, -E, -w N",
        ),
      },
      "run-shell run": { operands: ["script"], options: plain("-b, -C, -c DIR, -d DELAY, -t TARGET") },
      "if-shell if": { operands: ["script", "text..."], options: plain("-b, -F, -t TARGET") },
      "pipe-pane pipep": { operands: ["script"], options: plain("-I, -O, -o, -t TARGET") },
      "send-keys send": { operands: ["typed"], syntax: "posix", options: plain("-F, -H, -K, -l, -M, -R, -X, -c CLIENT, -N N, -t TARGET") },
      "source-file source": { operands: ["run..."], options: plain("-F, -n, -q, -v, -t TARGET") },
      "set-buffer, setb, paste-buffer, pasteb, load-buffer, loadb, save-buffer, saveb": {
        operands: ["text..."],
        options: plain("-a, -n NAME, -t TARGET, -b NAME, -w"),
      },
      "kill-server, kill-session, kill-window, kill-pane, killp, killw": { operands: ["target..."], options: plain("-a, -C, -t TARGET") },
      "attach-session, attach, a, list-sessions, ls, list-windows, lsw, list-panes, lsp, has-session, has, capture-pane, capturep, display-message, display, select-window, selectw, select-pane, selectp, rename-session, rename-window, set-option, set, show-options, show, detach-client, detach, switch-client, wait-for, resize-pane, resizep":
        {
          operands: ["text..."],
          options: plain(
            "-a, -d, -g, -p, -e, -J, -q, -u, -w, -s TARGET, -t TARGET, -F FORMAT, -S LINE, -E LINE, -b NAME, -c CLIENT, -L, -U, -x N, -y N",
          ),
        },
    },
    examples: {
      "tmux new-session -d -s w 'rm -r x'": { program: "rm", deletes: ["x"], via: ["tmux"] },
      "tmux send-keys -t w 'rm -r x' Enter": { program: "rm", deletes: ["x"] },
      "tmux ls": { program: "tmux", verb: "ls" },
    },
  },
  {
    names: ["screen"],
    wrapper: true,
    operands: ["command"],
    options: {
      "-X": { operands: ["text", "script-words"] },
      "-c FILE": { value: "read" },
      ...plain(
        "-4, -6, -a, -A, -d [PID], -D, -e XY, -f, -h N, -i, -l, -ls [MATCH], -list, -L, -Logfile FILE, -m, -dm, -dmS NAME, -O, -p WINDOW, -q, -Q, -r [SESSION], -R, -RR, -s SHELL, -S NAME, -t TITLE, -T TERM, -U, -v, -wipe, -x [SESSION], -DR, -dR, -DRR, -dRR",
      ),
    },
    examples: {
      "screen -dmS w rm -r x": { program: "rm", deletes: ["x"], via: ["screen"] },
      "screen -S w -X stuff 'rm -r x'": { program: "rm", deletes: ["x"] },
    },
  },
  {
    names: ["dtach"],
    also: ["abduco", "zellij"],
    operands: ["text...", "text"],
    options: plain("-A NAME, -c NAME, -n NAME, -N NAME, -a NAME, -s NAME, -r POLICY"),
    examples: { "abduco -a w": { reads: [] } },
  },
  {
    names: ["cross-env", "cross-env-shell"],
    also: ["dotenv", "dotenvx", "env-cmd", "with-env"],
    wrapper: true,
    operands: ["assignment...", "command"],
    options: {
      "-e -f --file --env-file FILE": { value: "load" },
      ...plain("-o, -c [ENV], -v VALUE, --no-override, --silent, --quiet, --use-shell, -r ENVS"),
    },
    examples: {
      "cross-env A=1 rm x": { program: "rm", via: ["cross-env"] },
      "dotenv -e .env.x -- rm x": { program: "rm" },
      "env-cmd -f .env env": { program: "env", reads: [".env"] },
    },
  },
  {
    names: ["mise", "rtx"],
    also: ["asdf", "nvm", "fnm", "volta", "pyenv", "rbenv", "nodenv", "devbox"],
    subcommands: {
      "exec x": { operands: ["command"] },
      "init, env, activate, completion completions, hook-env, shellenv, virtualenv-init": { operands: ["text..."], prints: "setup" },
      "*": { operands: ["target..."] },
    },
    examples: { "mise install node@22": { verb: "install" }, "pyenv exec rm x": { program: "rm", deletes: ["x"] } },
  },
  {
    names: ["ssh-agent"],
    also: ["starship", "zoxide", "atuin", "thefuck", "dircolors", "lesspipe", "keychain", "gpg-agent", "fzf"],
    operands: ["text..."],
    prints: "setup",
    examples: { 'eval "$(ssh-agent -s)"': { program: "eval", runs: ["file"] } },
  },
  {
    names: ["nix-shell"],
    also: ["nix"],
    operands: ["text..."],
    options: {
      "--run --command COMMAND": { value: "script" },
      "-c COMMAND": { value: "command-end" },
      ...plain("-p --packages, -I PATH, --pure, -A NAME, -j N"),
    },
    examples: {
      "nix-shell -p jq --run 'rm -r x'": { program: "rm", deletes: ["x"] },
      "nix shell a b -c rm -r x": { program: "rm", via: ["nix"], deletes: ["x"], recursive: true },
    },
  },
  {
    names: ["concurrently"],
    also: ["mprocs"],
    operands: ["script..."],
    options: plain(
      "-k --kill-others, --kill-others-on-fail, -n --names NAMES, -c --prefix-colors COLORS, -r --raw, -s --success COND, -p --prefix TEXT, -g --group, -m --max-processes N, -t --timestamp-format FORMAT, --restart-tries N, --hide NAMES",
    ),
    examples: { "concurrently 'rm a' 'npm:build'": { program: "rm", deletes: ["a"] } },
  },
  {
    names: ["run-p"],
    also: ["run-s", "npm-run-all", "npm-run-all2", "wait-on", "start-server-and-test"],
    operands: ["text..."],
    options: plain(
      "-k --kill-others, -n --names NAMES, -c --prefix-colors COLORS, -r --raw, -s --success COND, -p --parallel, -l --print-label",
    ),
    examples: { "run-p build test": { operands: ["build", "test"] } },
  },
];
