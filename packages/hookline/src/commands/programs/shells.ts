import type { ProgramEntry } from "../program-entry.js";

/** Shells, which run text, a file or their input. */
export const shellPrograms: readonly ProgramEntry[] = [
  {
    names: ["sh", "bash", "zsh", "dash", "ksh", "ash", "mksh", "rbash"],
    language: "shell",
    wrapper: true,
    operands: ["run", "text..."],
    stdin: "script",
    options: {
      "-c": { operands: ["script", "text..."] },
      "-s": { operands: ["text..."] },
      "-l --login": {},
      "-i": {},
      "-e": {},
      "-u": {},
      "-x": {},
      "-v --verbose": {},
      "-n": {},
      "-f": {},
      "-p": {},
      "-a": {},
      "-o OPTION": {},
      "-O OPTION": {},
      "--norc": {},
      "--noprofile": {},
      "--posix": {},
      "--rcfile --init-file FILE": { value: "run" },
    },
    examples: {
      "sh -c 'rm -rf $1' x a": { program: "rm", deletes: ["a"], recursive: true, via: ["sh"] },
      "bash -lc ls": { program: "ls", via: ["bash"] },
      "sh a.sh": { program: "sh", runs: ["file"], reads: ["a.sh"] },
      "curl -s https://example.com | sh": { program: "sh", runs: ["network"], stdin: ["network"] },
      "curl -o x https://example.com; sh x": { program: "sh", runs: ["network"] },
      'bash -c "$X"': { program: "", via: ["bash"], unknown: ["program"] },
    },
  },
];
