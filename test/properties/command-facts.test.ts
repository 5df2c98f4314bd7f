import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { type CommandFact, commandsOf } from "hookline/commands";
import { expect, it } from "vitest";
import { testFolder } from "../support/test-folder.js";

/** Generated scripts that one run tries. `SEED` and `SCRIPTS` try others. */
const count = Number(process.env.SCRIPTS ?? 150);
const seed = Number(process.env.SEED ?? 15);

/** Runs a command as root of its own namespaces: no network, and nothing can be written outside the folder. */
const box = ["unshare", "--user", "--map-root-user", "--mount", "--net", "--pid", "--fork", "--kill-child"];
const readOnly = `
set -e
mount --make-rprivate /
mount --bind "$1" "$1"
while read -r _ _ _ _ point _; do
  case "$point" in
    "$1") ;;
    *) mount -o remount,bind,ro "$point" 2> /dev/null || [ ! -w "$point" ] ;;
  esac
done < /proc/self/mountinfo
cd "$1"
`;

function canBox(): boolean {
  const folder = testFolder();
  const probe = `${readOnly} touch inside; ! touch "\${1%/*}/outside" 2> /dev/null; ! touch /outside 2> /dev/null; echo boxed`;
  const [command = "", ...args] = box;
  const { status, stdout } = spawnSync(command, [...args, "bash", "-c", probe, "bash", folder], { encoding: "utf8" });
  return status === 0 && stdout.trim() === "boxed" && existsSync(join(folder, "inside"));
}

/** The programs of a script write their names into a file. Those with an odd number fail. */
const program = `#!/bin/sh
echo "\${0##*/}" >> "\${0%/*}/ran"
case "$0" in *[13579]) exit 1 ;; esac
`;
const programs = Array.from({ length: 8 }, (_, index) => `p${index}`);

/** Runs each script in a folder of its own. Returns the names of the programs that ran. */
function runAll(scripts: readonly string[]): readonly (readonly string[])[] {
  const folder = testFolder();
  for (const [index, script] of scripts.entries()) {
    const own = join(folder, String(index));
    mkdirSync(own);
    writeFileSync(join(own, "script"), script);
    for (const name of programs) {
      writeFileSync(join(own, name), program);
      chmodSync(join(own, name), 0o755);
    }
  }
  const driver = `${readOnly} set +e
for ((i = 0; i < $2; i++)); do (cd "$i"; timeout -k 1 5 bash -c "$(<script)" bash < /dev/null > /dev/null 2>&1); done`;
  const [command = "", ...args] = box;
  execFileSync(command, [...args, "bash", "-c", driver, "bash", folder, String(scripts.length)], { stdio: "ignore" });
  return scripts.map((_, index) => {
    const ran = join(folder, String(index), "ran");
    return existsSync(ran) ? [...new Set(readFileSync(ran, "utf8").trim().split("\n"))] : [];
  });
}

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The ways to write a word. */
function spelled(text: string): fc.Arbitrary<string> {
  const [head, tail] = [text.slice(0, -1), text.slice(-1)];
  return fc.constantFrom(
    text,
    quote(text),
    `"${text}"`,
    `${head}"${tail}"`,
    `${head}\\${tail}`,
    `${head}$@${tail}`,
    `$'${head}\\x${text.charCodeAt(text.length - 1).toString(16)}'`,
    `$(echo ${text})`,
    `\`printf ${text}\``,
    `$(printf '%s%s' ${head} ${tail})`,
    `$(echo ${Buffer.from(text).toString("base64")} | base64 -d)`,
    `$(echo ${[...text].reverse().join("")} | rev)`,
    `\${NONE:-${text}}`,
    `${head}{${tail},}`,
    `{${text},a}`,
    `"$(echo "${text}")"`,
    `$(cat <<< ${text})`,
    `${head}$((${tail}))`,
  );
}

const { script } = fc.letrec<{ script: string; command: string; word: string; program: string }>((tie) => ({
  program: fc.constantFrom(...programs).chain((name) => spelled(`./${name}`)),
  word: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom("a", "'b c'", '"$NONE"', "$NONE", "*", "-x", "--", "~", "$HOME") },
    { weight: 1, arbitrary: tie("command").map((command) => `"$(${command})"`) },
    { weight: 1, arbitrary: tie("command").map((command) => `<(${command})`) },
  ),
  command: fc
    .tuple(
      fc.constantFrom(
        "",
        "",
        "A=b ",
        "> out ",
        "2>&1 ",
        "env ",
        "nohup ",
        "command ",
        "sudo_not() { :; }; ",
        "time ",
        "! ",
        "env -u A ",
        "timeout 3 ",
        "nice -n 1 ",
        "setsid -w ",
      ),
      tie("program"),
      fc.array(tie("word"), { maxLength: 2 }),
    )
    .map(([before, name, words]) => before + [name, ...words].join(" ")),
  script: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    tie("command"),
    fc
      .tuple(tie("script"), fc.constantFrom("; ", " && ", " || ", " | ", "\n", " & "), tie("script"))
      .map(([left, between, right]) => `{ ${left}\n}${between}{ ${right}\n}`),
    fc.tuple(tie("script"), tie("script"), tie("script")).map(([test, yes, no]) => `if ${test}\nthen ${yes}\nelse ${no}\nfi`),
    tie("script").map((body) => `( ${body}\n)`),
    tie("script").map((body) => `for i in a b; do ${body}\ndone`),
    tie("script").map((body) => `for ((n = 0; n < 2; n++)); do ${body}\ndone`),
    tie("script").map((body) => `until ${body}\ndo break; done`),
    fc.tuple(tie("script"), tie("script")).map(([first, second]) => `case a in b) ${first}\n;; *) ${second}\n;; esac`),
    tie("script").map((body) => `f() { ${body}\n}; f`),
    fc.tuple(tie("script"), tie("script")).map(([first, second]) => `if ./p1; then f() { ${first}\n}; else f() { ${second}\n}; fi; f`),
    tie("script").map((body) => `eval ${quote(body)}`),
    tie("script").map((body) => `bash -c ${quote(body)}`),
    tie("script").map((body) => `X=${quote(body)}; eval "$X"`),
    tie("script").map((body) => `X=${quote(body)}; bash -c "$X"`),
    tie("script").map((body) => `bash <<'E'\n${body}\nE`),
    tie("script").map((body) => `bash <<< ${quote(body)}`),
    tie("script").map((body) => `echo ${quote(body)} | bash`),
    tie("script").map((body) => `printf '%s\\n' ${quote(body)} | cat | bash`),
    tie("script").map((body) => `echo ${Buffer.from(body).toString("base64")} | base64 -d | bash`),
    tie("script").map((body) => `echo ${quote(body)} > file; . ./file`),
    tie("script").map((body) => `echo ${quote(body)} > file; chmod +x file; bash file; ./file`),
    tie("script").map((body) => `cat > file <<'E'\n${body}\nE\nbash ./file`),
    tie("script").map((body) => `. <(echo ${quote(body)})`),
    tie("script").map((body) => `trap ${quote(body)} EXIT`),
    tie("script").map((body) => `X=$(${body}\n)`),
    tie("script").map((body) => `[[ -n $(${body}\n) ]]`),
    tie("script").map((body) => `(( $(${body}\n) + 1 ))`),
    tie("script").map((body) => `mkdir -p sub && cd sub && { ${body.replaceAll("./p", "../p")}\n}; cd ..`),
    tie("program").map((name) => `X=${name}; $X; "$X" a`),
    tie("program").map((name) => `X=(${name} a); "\${X[@]}"`),
    tie("program").map((name) => `set -- ${name} a; "$@"; $1`),
    tie("program").map((name) => `f() { "$1" a; }; f ${name}`),
    tie("program").map((name) => `echo ${name} a | xargs env`),
    tie("program").map((name) => `echo a | xargs ${name}`),
    tie("program").map((name) => `echo a | xargs -I% ${name} %`),
    tie("program").map((name) => `find . -maxdepth 0 -exec ${name} {} \\;`),
    tie("program").map((name) => `echo ${name} | while read -r x; do $x; done`),
    tie("program").map((name) => `shopt -s expand_aliases\nalias x=${quote(name)}\nx a`),
    tie("program").map((name) => `X=./p0; i=0; while [ $i -lt 2 ]; do $X; X=${name}; i=$((i + 1)); done`),
    tie("program").map((name) => `if ./p0; then X=${name}; else X=./p1; fi; $X`),
    tie("program").map((name) => `X=${name}; Y=X; \${!Y}`),
    tie("program").map((name) => `X=${name}z; \${X%z}`),
    tie("program").map((name) => `X=${name}; X=\${X/p/p}; $X`),
    tie("program").map((name) => `read -r X <<< ${name}; $X`),
    tie("program").map((name) => `printf -v X %s ${name}; $X`),
    tie("program").map((name) => `declare X=${name}; export Y=$X; bash -c '$Y'`),
    tie("program").map((name) => `IFS=,; X="${name},a"; $X`),
    tie("program").map((name) => `f() { local X=${name}; g; }; g() { $X; }; f`),
    tie("program").map((name) => `coproc ${name}; wait`),
    tie("program").map((name) => `exec ${name}`),
    tie("program").map((name) => `mapfile -t X <<< ${name}; "\${X[0]}"`),
    tie("program").map((name) => `echo() { ${name}; }; echo a`),
    tie("program").map((name) => `ln -s ${name} q && ./q`),
    tie("program").map((name) => `cp ${name} q && ./q`),
    tie("program").map((name) => `PATH=$PWD:$PATH; $(basename ${name})`),
  ),
}));

/** The facts say that something runs which they do not name. */
function isOpen({ unknown, runs }: CommandFact): boolean {
  return unknown.program !== undefined || runs.some(({ from, text }) => from !== "literal" && text === undefined);
}

it(`names every program that bash runs, in ${count} generated scripts`, { timeout: 300_000 }, (context) => {
  if (!canBox()) context.skip("there are no user, mount and network namespaces");
  const scripts = fc.sample(script, { numRuns: count, seed });
  const ran = runAll(scripts);
  expect(ran.filter((names) => names.length > 0).length).toBeGreaterThan(count / 2);
  const missed = scripts.flatMap((text, index) => {
    const facts = commandsOf({ payload: { cwd: "/p", tool: { name: "Bash", input: { command: text } } } });
    const named = new Set(facts.flatMap((fact) => [fact.program, ...fact.via]));
    const strange = ran[index]?.filter((name) => !named.has(name)) ?? [];
    return strange.length === 0 || facts.some(isOpen) ? [] : [{ text, ran: strange, named: [...named] }];
  });
  expect(missed.slice(0, 5)).toEqual([]);
});
