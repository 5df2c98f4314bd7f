import { parseConfig } from "../../../packages/hookline/dist/config/load-config.js";
import type { ConfigProblem } from "../../../packages/hookline/dist/config/problem.js";
import { type FuzzTarget, inProcess } from "../target.ts";

/** `hookline.toml`: every fault is a problem with a place. */
export const toml: FuzzTarget = {
  name: "toml",
  samples: [
    '[hub]\nport = 4665\nhost = "127.0.0.1"\naskTimeout = "5m"\n\n[retention]\nmaxAge = "30d"\nmaxBytes = "1GB"\n',
    '[[sink]]\ntype = "jsonl"\nname = "kept"\npath = "~/x.jsonl"\nmaxBytes = "64MB"\n\n[[sink]]\ntype = "webhook"\nurl = "https://example.com/"\nretry = { baseMs = 5, maxMs = "1s" }\nevents = ["tool:*"]\n',
    '[[rule]]\nname = "no-push"\nevent = "tool:before"\nmatch = "Bash && tool.input.command =~ \'git push.*(-f|--force)\'"\ndo = "ask"\nmessage = "Sure?"\n\n[rule.examples]\ncatches = ["git push -f"]\n',
    '[[hook]]\nname = "guard"\nmodule = "./guard.mjs"\nevent = "tool:before"\nonFailure = "closed"\ntimeoutMs = 300\n\n[redact]\npaths = ["tool.input.env.*"]\n',
    '[[rule]]\nname = "often"\nevent = "tool:before"\nmatch = { tool = "Edit|Write", where = { "tool.input.path" = "/etc/*" } }\ncount = { over = 5, within = "1m" }\ndo = "block"\n',
    '[[notify]]\ntype = "ntfy"\nurl = "https://ntfy.sh/x"\non = ["approval"]\n\n[paths]\nsecrets = ["~/.ssh/*"]\n\n[policy]\nautoAccept = "none"\n',
  ],
  words: [
    ...[
      "[[rule]]",
      "[[sink]]",
      "[[hook]]",
      "[hub]",
      "[retention]",
      "[redact]",
      "match",
      "do",
      '"block"',
      '"ask"',
      '"modify"',
      "event",
      '"tool:before"',
    ],
    ...[
      "(a+)+$",
      "(?=x)",
      "[[:alpha:]]",
      "\\1",
      "*a".repeat(40),
      '"""',
      "'''",
      "= {",
      "1979-05-27T07:32:00Z",
      "inf",
      "nan",
      "0x",
      "priority",
      "tool",
    ],
    ...[
      "commands",
      "count",
      "after",
      "repeats",
      "budget",
      "examples",
      "!",
      "&&",
      "||",
      "contains",
      "=~",
      "==",
      "(",
      ")",
      "starts",
      "__proto__",
    ],
  ],
  open: async () =>
    inProcess(async (input) => {
      const text = input.toString("utf8");
      const { config, problems, warnings } = await parseConfig(text, "/nowhere/hookline.toml");
      if (config === undefined && problems.length === 0) return "there is no configuration, and no problem says why";
      return misplaced([...problems, ...warnings], text);
    }),
};

/** What a message has in place of a value that is not there. A message that quotes the text may have it, too. */
const NOTHING = ["undefined", "[object"];

/** A problem whose place is not in the text, or whose message says nothing. */
export function misplaced(problems: readonly ConfigProblem[], text: string): string | undefined {
  const lines = text.split("\n").length;
  for (const { line, column, message, key } of problems) {
    if (!(line >= 1 && line <= lines + 1 && column >= 1)) return `a problem at ${line}:${column} of ${lines} lines: ${key} ${message}`;
    if (message === "" || message.startsWith('""') || NOTHING.some((word) => message.includes(word) && !text.includes(word)))
      return `a message that says nothing: ${message}`;
  }
  return undefined;
}
