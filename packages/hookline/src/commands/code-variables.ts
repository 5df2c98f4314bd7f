import { addFlows, argOf, createFact } from "./fact-builder.js";
import { resolvePath } from "./paths.js";
import { CLAUDE_WITHOUT_HOOKS_VARIABLES } from "./programs/agents.js";
import { contentOf } from "./redirections.js";
import { fork, type Scope, type Streams, type Walker } from "./scope.js";
import { concat, isExact, literal, type Value } from "./value.js";

/**
 * What programs do with the value of a variable: run it as text of a shell, run the code of a file, take options of a program from it, or skip an
 * agent's hooks.
 */
type Use = "script" | "file" | "guards" | { readonly program: string };

const uses = new Map<string, Use>(
  Object.entries({
    script: `PROMPT_COMMAND PAGER MANPAGER GIT_PAGER EDITOR VISUAL GIT_EDITOR GIT_SEQUENCE_EDITOR FCEDIT SUDO_EDITOR SYSTEMD_EDITOR BROWSER
      GIT_SSH_COMMAND GIT_SSH GIT_PROXY_COMMAND GIT_EXTERNAL_DIFF GIT_ASKPASS SSH_ASKPASS SUDO_ASKPASS RSYNC_RSH CVS_RSH LESSOPEN LESSCLOSE
      SYSTEMD_PAGER PSQL_PAGER PSQL_EDITOR AWS_PAGER GH_PAGER GH_EDITOR KUBE_EDITOR BAT_PAGER DELTA_PAGER RUSTC_WRAPPER CARGO_BUILD_RUSTC_WRAPPER`,
    file: "BASH_ENV ENV PYTHONSTARTUP LD_PRELOAD LD_AUDIT DYLD_INSERT_LIBRARIES",
  } as const).flatMap(([use, names]) => names.split(/\s+/).map((name) => [name, use as Use] as const)),
);
for (const [name, program] of Object.entries({ NODE_OPTIONS: "node", PERL5OPT: "perl", RUBYOPT: "ruby", BUN_OPTIONS: "bun" }))
  uses.set(name, { program });
for (const name of CLAUDE_WITHOUT_HOOKS_VARIABLES) uses.set(name, "guards");

/**
 * Runs the value of a variable that a program will run, such as `EDITOR`. A value that is not known is taken for the name of an ordinary program:
 * everyday commands pass such variables on.
 */
export function runVariable(name: string, value: Value, scope: Scope, streams: Streams, walker: Walker): void {
  const use = uses.get(name);
  if (use === undefined || value.text === "") return;
  const inner = fork(scope, { via: [...scope.via, "env"] });
  const own: Streams = { ...streams, stdin: undefined, reads: [], writes: [] };
  if (use === "guards") return skipHooks(name, value, inner, own, walker);
  if (use === "file") return runFile(name, value, inner, own, walker);
  if (!isExact(value)) return;
  // `LESSOPEN='|program %s'` and `-c alias.x='!program'`: the sign is not a part of the command.
  const text = value.text.replace(/^[|!-]+[ \t]*/, "");
  if (use === "script") walker.runText(text, inner, own);
  else walker.runWords([use.program, ...value.text.split(/\s+/).filter(Boolean)].map(literal), inner, own);
}

function skipHooks(name: string, value: Value, scope: Scope, streams: Streams, walker: Walker): void {
  if (!/^(?:1|true|yes|on)$/i.test(value.text)) return;
  const fact = createFact("env", scope, streams);
  fact.args.push(argOf(concat(literal(`${name}=`), value)));
  fact.destroys.push("guards");
  walker.facts.push(fact);
}

function runFile(name: string, value: Value, scope: Scope, streams: Streams, walker: Walker): void {
  const path = resolvePath(value, scope.dir);
  if (path === undefined || path.unknown !== undefined) return;
  const content = contentOf(value, path, scope);
  const fact = createFact("env", scope, streams);
  fact.args.push(argOf(concat(literal(`${name}=`), value)));
  addFlows(fact, "runs", content.flows);
  walker.facts.push(fact);
  if (content.value !== undefined && isExact(content.value)) walker.runText(content.value.text, scope, streams);
}
