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
  ["lua", "os.execute('rm a')", "script rm a"],
  ["other", "os.system('rm a')"],
];

describe("effectsOfCode", () => {
  for (const [language, code, ...expected] of cases)
    it(`${language}: ${code}`, () => expect(effectsOfCode(language, code, "/home/ann").map(show).sort()).toEqual([...expected].sort()));

  it("ends for code with many brackets", () => {
    expect(effectsOfCode("python", "system(".repeat(2_000), "/").length).toBeGreaterThan(0);
    expect(effectsOfCode("python", "a".repeat(100_000), "/")).toEqual([{ kind: "runs", from: "unknown" }]);
  });
});
