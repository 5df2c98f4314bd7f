import { describe, expect, it } from "vitest";
import { type CodeEffect, effectsOfCode } from "./code-effects.js";

function show(effect: CodeEffect): string {
  if (effect.kind === "command") return `command ${effect.words.map(({ text }) => text).join(" ")}`;
  if (effect.kind === "send" || effect.kind === "runs") return `${effect.kind} ${effect.from}`;
  return `${effect.kind}${effect.isRecursive === true ? " recursive" : ""} ${effect.value.unknown === undefined ? effect.value.text : "?"}`;
}

const cases: [string, string, ...string[]][] = [
  ["python", "print(1)"],
  ["python", 'import os; os.system("rm a")', "script rm a"],
  ["python", "__import__('os').system('rm a')", "script rm a"],
  ["python", "os.system('rm ' + name)", "script ?"],
  ["python", "os.system(f'rm {x}')", "script ?"],
  ["python", "subprocess.run(['rm', '-r', 'a'], check=True)", "command rm -r a"],
  ["python", "subprocess.check_output('ls a', shell=True)", "script ls a"],
  ["python", "shutil.rmtree('/a')", "delete recursive /a"],
  ["python", "shutil.rmtree(os.path.expanduser('~/a'))", "delete recursive /home/ann/a"],
  ["python", "shutil.rmtree(os.path.join(os.environ['HOME'], 'a'))", "delete recursive /home/ann/a"],
  ["python", "os.remove('a')\nitems.remove('b')", "delete a"],
  ["python", "open('a').read()", "read a"],
  ["python", "open('a', 'w').write('x')", "write a"],
  ["python", "open('a', mode='a')", "write a"],
  ["python", "webbrowser.open('a')"],
  ["python", "urllib.request.urlopen('https://a.b/c')", "url https://a.b/c"],
  ["python", "requests.post('https://a.b', data=open('s').read())", "read s", "url https://a.b", "send file"],
  ["python", "requests.post('https://a.b', json=dict(os.environ))", "url https://a.b", "send secret"],
  ["python", "exec(base64.b64decode('eA=='))", "runs decoded"],
  ["python", "exec(requests.get('https://a.b').text)", "url https://a.b", "runs network"],
  ["python", "exec(\"os.system('rm a')\")", "script rm a", "script rm a"],
  ["javascript", "require('child_process').execSync('rm a')", "script rm a"],
  ["javascript", "const { exec } = require('child_process'); exec(`rm a`)", "script rm a"],
  ["javascript", "/a/.exec(text)"],
  ["javascript", "spawn('rm', ['-r', 'a'], { stdio: 'inherit' })", "command rm -r a"],
  ["javascript", "fs.rmSync('/a', { recursive: true })", "delete recursive /a"],
  ["javascript", "fs.rmSync(os.homedir() + '/a')", "delete recursive /home/ann/a"],
  ["javascript", "fs.writeFileSync('a', fs.readFileSync('b'))", "write a", "read b"],
  ["javascript", "fetch('https://a.b', { method: 'POST', body: x })", "url https://a.b", "send literal"],
  ["javascript", "eval(atob('eA=='))", "runs decoded"],
  ["perl", 'system("rm a")', "script rm a"],
  ["perl", 'system "rm", "-r", "a"', "command rm -r a"],
  ["perl", "print `rm a`", "script rm a"],
  ["perl", "unlink 'a', 'b'", "delete a", "delete b"],
  ["ruby", "system('rm a')", "script rm a"],
  ["ruby", "FileUtils.rm_rf('a')", "delete recursive a"],
  ["ruby", "%x(rm a)", "script rm a"],
  ["php", "shell_exec('rm a');", "script rm a"],
  ["awk", 'BEGIN { system("rm a") }', "script rm a"],
  ["awk", '{ print $1 | "sort -u" }', "script sort -u"],
  ["awk", 'BEGIN { "date" | getline now }', "script date"],
  ["awk", '{ print $1 >> "out"; x = 1 > "no" }', "write out"],
  ["sed", "s/a/b/"],
  ["sed", "1,/x/ !e rm a", "script rm a"],
  ["sed", "p; $w out", "write out"],
  ["sed", "/a/ { s|x\\|y|z|gw out\n}", "write out"],
  ["sed", "s/a/b w c/"],
  ["ex", ":!rm a", "script rm a"],
  ["ex", "  sil! 1,$ !rm a", "script rm a"],
  ["ex", "normal x\n%w !tee a", "script tee a"],
  ["ex", "1,3w >> a", "write a"],
  ["ex", "e a\nterm rm b", "read a", "script rm b"],
  ["ex", "call system('rm a')", "script rm a"],
  ["perl", "qx{rm a}; qx{", "script rm a"],
  ["lua", "os.execute('rm a')", "script rm a"],
  ["other", "os.system('rm a')"],
  ["python", "import subprocess as s; s.run('rm s.txt', shell=True)", "script rm s.txt"],
  ["python", "import shutil as a, os as b; b.remove('c'); a.rmtree('d')", "delete c", "delete recursive d"],
  ["python", "from subprocess import (run, Popen as p)\nrun(['rm', 'a']); p(['rm', 'b'])", "command rm a", "command rm b"],
  ["python", "from os import system as go; go('rm a')", "script rm a"],
  ["python", "from mine import run; run('rm a')"],
  ["python", "import os; f = os.system; f('rm a')", "script rm a"],
  ["javascript", "const e = require('child_process').execSync; e('rm a')", "script rm a"],
  ["python", "from pathlib import Path; print(Path('a').read_text())", "read a"],
  ["python", "import pathlib as p; (p.Path.home() / 'a' / 'b').read_bytes()", "read /home/ann/a/b"],
  ["python", "Path('~/a').expanduser().write_text('x')", "write /home/ann/a"],
  ["python", "Path('a').joinpath('b').unlink(missing_ok=True)", "delete ?"],
  ["python", "Path('a').open('w')", "write a"],
  ["python", "p = Path('a'); p.read_text(); open(p)", "read a", "read a"],
  ["python", "p = 'a'; p = input(); open(p)", "read ?"],
  ["python", "text.open('a')"],
  ["javascript", "const { execSync: x } = require('child_process'); x('rm a')", "script rm a"],
  ["javascript", "const c = require('node:child_process'); c.exec('rm a')", "script rm a"],
  ["javascript", 'import { rmSync as del } from "node:fs"; del("a")', "delete recursive a"],
  ["javascript", "import * as f from 'fs/promises'; await f.rm('a')", "delete recursive a"],
  ["javascript", "const f = await import('fs'); f.rm('a')", "delete recursive a"],
  ["javascript", "const p = 'a'; fs.readFileSync(p)", "read a"],
  ["javascript", "new Deno.Command('rm', { cwd: 'x', args: ['-r', 'a'] })", "command rm -r a"],
  ["perl", "exec qw(rm -r /a)", "script rm -r /a"],
  ["ruby", "FileUtils.rm_rf Dir.home", "delete recursive /home/ann"],
  ["gdb", "run\nshell rm a", "script rm a"],
  ["gdb", "!rm a", "script rm a"],
  ["gdb", "print shell"],
  ["tcl", "spawn -noecho rm a; expect eof", "script rm a"],
  ["tcl", 'set x [exec sh -c "rm a; ls"]', 'script sh -c "rm a; ls"'],
];

describe("effectsOfCode", () => {
  for (const [language, code, ...expected] of cases)
    it(`${language}: ${code}`, () => expect(effectsOfCode(language, code, "/home/ann").map(show).sort()).toEqual([...expected].sort()));

  // Each took seconds or longer with a pattern that tries the same text again.
  it.each([
    ["sed", "\n"],
    ["sed", "\n "],
    ["sed", "{1"],
    ["sed", ";/"],
    ["sed", ";s"],
    ["ex", "\n"],
    ["ex", "\n "],
    ["ex", "sil "],
    ["ex", "w "],
    ["ex", "e\t"],
    ["awk", "print "],
    ["awk", '"|'],
    ["awk", '"\n'],
    ["perl", "qx{"],
    ["ruby", "%x("],
    ["php", "a` "],
    ["python", "\nimport a as "],
    ["python", "\nfrom a import "],
    ["python", "import a as b;b.open("],
    ["python", "a.open("],
    ["python", ";a="],
    ["python", ")"],
    ["javascript", "import {"],
    ["javascript", "import {} "],
    ["javascript", "{}=\t"],
    ["javascript", 'import a;\\"'],
    ["javascript", "a= "],
    ["javascript", "import a;a=a."],
    ["tcl", "exec {"],
    ["tcl", 'exec "'],
    ["gdb", "\nshell "],
  ])("reads code in %s that repeats %j once", (language, part) => {
    const code = part.repeat(Math.floor(16_000 / part.length));
    for (const end of ["", "x", "!", '"']) expect(effectsOfCode(language, `${code}${end}`, "/").length).toBeLessThan(203);
  });

  it("does not compute variables that name each other again and again", () => {
    const names = Array.from({ length: 15 }, (_, at) => `v${at} = ${new Array(60).fill(`v${at + 1}`).join(" + ")}`);
    expect(effectsOfCode("python", `${names.join("; ")}; open(v0)`, "/").map(show)).toEqual(["read ?"]);
    expect(effectsOfCode("python", "a = b; b = a; open(a)", "/").map(show)).toEqual(["read ?"]);
  });

  it("does not compute a text of many parts", () => {
    expect(effectsOfCode("python", `system(${"a+".repeat(8_000)}a)`, "/").map(show)).toEqual(["script ?"]);
    expect(effectsOfCode("python", `system(${"join(".repeat(2_000)}'a'${")".repeat(2_000)})`, "/").map(show)).toEqual(["script ?"]);
    expect(effectsOfCode("python", `system(join(${"'a',".repeat(2_000)}'a'))`, "/").map(show)).toEqual(["script ?"]);
  });

  it("says of code with too many calls that the rest is not known", () => {
    expect(effectsOfCode("python", "open('a');".repeat(300), "/").at(-1)).toEqual({ kind: "runs", from: "unknown" });
    expect(effectsOfCode("php", "`a`".repeat(300), "/").at(-1)).toEqual({ kind: "runs", from: "unknown" });
  });

  it("ends for code with many brackets", () => {
    const effects = effectsOfCode("python", "system(".repeat(2_000), "/");
    expect(effects.length).toBeLessThan(12);
    expect(effects.at(-1)).toEqual({ kind: "runs", from: "unknown" });
    expect(effectsOfCode("python", "a".repeat(100_000), "/")).toEqual([{ kind: "runs", from: "unknown" }]);
  });
});
