import { fileURLToPath } from "node:url";

/** The same from the sources and from what is built of them. */
const MAIN = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));

export interface Demo {
  /** Starts the scripted agent; false while one runs. */
  start(): boolean;
  close(): void;
}

/** The scripted agent, as a process of its own, as a real one would be. */
export function createDemo({ state, onProblem }: { readonly state: string; readonly onProblem: (text: string) => void }): Demo {
  const { spawn } = process.getBuiltinModule("node:child_process");
  let child: ReturnType<typeof spawn> | undefined;
  return {
    start() {
      if (child !== undefined) return false;
      // Not the folder the hub was called in, which may be removed one day.
      const own = spawn(process.execPath, [MAIN, "demo"], { cwd: state, stdio: "ignore", windowsHide: true });
      child = own;
      const end = (): void => {
        if (child === own) child = undefined;
      };
      own.on("error", (error) => {
        onProblem(`The demo could not be started: ${error.message}`);
        end();
      });
      own.on("exit", end);
      return true;
    },
    close: () => void child?.kill(),
  };
}
