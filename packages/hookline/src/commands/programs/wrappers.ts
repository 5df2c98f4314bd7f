import type { ProgramEntry } from "../program-entry.js";

/** Programs that run another command. */
export const wrapperPrograms: readonly ProgramEntry[] = [
  {
    names: ["sudo"],
    wrapper: true,
    privileged: true,
    operands: ["assignment...", "command"],
    options: {
      "-u --user USER": {},
      "-g --group GROUP": {},
      "-D --chdir DIR": { value: "dir" },
      "-C --close-from NUMBER": {},
      "-h --host HOST": {},
      "-p --prompt TEXT": {},
      "-R --chroot DIR": {},
      "-T --command-timeout TIME": {},
      "-A --askpass": {},
      "-b --background": {},
      "-E --preserve-env [NAMES]": {},
      "-H --set-home": {},
      "-i --login": {},
      "-k --reset-timestamp": {},
      "-n --non-interactive": {},
      "-S --stdin": {},
      "-s --shell": {},
    },
    examples: {
      "sudo -u ann A=b rm -r x": { program: "rm", via: ["sudo"], privileged: true, deletes: ["x"], recursive: true },
      "sudo --strange rm x": { program: "", via: ["sudo"], unknown: ["program"] },
    },
  },
];
