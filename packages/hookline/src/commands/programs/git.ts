import type { ProgramEntry } from "../program-entry.js";

export const gitProgram: ProgramEntry = {
  names: ["git"],
  options: {
    "-C PATH": { value: "dir" },
    "-c CONFIG": {},
    "--git-dir PATH": {},
    "--work-tree PATH": {},
    "-p --paginate": {},
    "-P --no-pager": {},
  },
  subcommands: {
    push: {
      operands: ["remote?", "refspec..."],
      receives: true,
      options: {
        "-f --force": {},
        "--force-with-lease [REF]": {},
        "-d --delete": {},
        "-u --set-upstream": {},
        "--all": {},
        "--mirror": {},
        "--tags": {},
        "-n --dry-run": {},
        "-o --push-option OPTION": {},
      },
    },
    reset: {
      operands: ["ref?", "pathspec..."],
      options: { "--hard": {}, "--soft": {}, "--mixed": {}, "--merge": {}, "--keep": {}, "-q --quiet": {} },
    },
    checkout: {
      operands: ["pathspec..."],
      options: { "-f --force": {}, "-b NAME": {}, "-B NAME": {}, "--ours": {}, "--theirs": {}, "-p --patch": {}, "-q --quiet": {} },
    },
  },
  examples: {
    "git -C sub push -f origin +main:main": {
      dir: "sub",
      verb: "push",
      options: ["-C", "--force"],
      git: { verb: "push", remote: "origin", refspecs: ["+main:main"] },
    },
    "git checkout -- .": { git: { verb: "checkout", paths: ["."] } },
  },
};
