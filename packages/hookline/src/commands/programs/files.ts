import type { ProgramEntry } from "../program-entry.js";

/** Programs that copy, move and remove files. */
export const filePrograms: readonly ProgramEntry[] = [
  {
    names: ["rm"],
    operands: ["delete..."],
    prints: "nothing",
    options: {
      "-r -R --recursive": { recursive: true },
      "-f --force": {},
      "-i": {},
      "-I": {},
      "--interactive [WHEN]": {},
      "-d --dir": {},
      "-v --verbose": {},
      "--one-file-system": {},
      "--no-preserve-root": {},
      "--preserve-root [ALL]": {},
    },
    examples: {
      "rm -rf a ~/b": { deletes: ["a", "~/b"], recursive: true, options: ["--recursive", "--force"] },
      "rm --recurs a*": { deletes: ["a*"], recursive: true, options: ["--recursive"] },
      "rm -- -r": { deletes: ["-r"], recursive: false, operands: ["-r"] },
      'rm "$X"': { deletes: ["**"], unknown: ["deletes"] },
    },
  },
  {
    names: ["cp"],
    operands: ["read...", "write"],
    prints: "nothing",
    options: {
      "-r -R --recursive": { recursive: true },
      "-a --archive": { recursive: true },
      "-t --target-directory DIR": { value: "write", operands: ["read..."] },
      "-T --no-target-directory": {},
      "-S --suffix SUFFIX": {},
      "-f --force": {},
      "-i --interactive": {},
      "-n --no-clobber": {},
      "-l --link": {},
      "-s --symbolic-link": {},
      "-u --update [WHEN]": {},
      "-v --verbose": {},
      "-p": {},
      "--preserve [ATTRIBUTES]": {},
    },
    examples: {
      "cp a b dir": { reads: ["a", "b"], writes: ["dir"] },
      "cp -t dir a b": { reads: ["a", "b"], writes: ["dir"], options: ["--target-directory"] },
    },
  },
];
