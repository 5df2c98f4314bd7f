import { accessSync, constants, realpathSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { shellWord } from "@hookline/core/internal/text";

/** What the user types to run this program. */
export interface Invocation {
  /** In the folder where this command was typed. */
  readonly here: string;
  /** In any folder: never `npx`, which elsewhere would fetch a package of that name from the registry. */
  readonly anywhere: string;
}

const PROGRAM = fileURLToPath(new URL("../../bin/hookline.js", import.meta.url));
const IS_WINDOWS = process.platform === "win32";
const FILE_NAMES = IS_WINDOWS ? ["hookline.cmd", "hookline.exe"] : ["hookline"];
/** The last folder that npm adds to the front of PATH. */
const END_OF_NPM = /[\\/]node-gyp-bin[\\/]?$/;

/** `hookline` if the shell finds it, `npx hookline` where npm does, else the path of the program. */
export function findInvocation(env: NodeJS.ProcessEnv, cwd = process.cwd()): Invocation {
  if (shellPath(env).some(hasProgram)) return { here: "hookline", anywhere: "hookline" };
  const path = IS_WINDOWS ? `node "${PROGRAM}"` : shellWord(PROGRAM);
  return { here: isKnownToNpm(shellFolder(env, cwd)) ? "npx hookline" : path, anywhere: path };
}

/** The PATH of the user's shell, without the folders that npm adds for `npx` and `npm start`. */
function shellPath({ PATH = "" }: NodeJS.ProcessEnv): string[] {
  const folders = PATH.split(delimiter);
  return folders.slice(folders.findLastIndex((folder) => END_OF_NPM.test(folder)) + 1).filter((folder) => folder !== "");
}

/** `npm start` runs in the folder of its package.json, wherever it was typed. */
function shellFolder({ INIT_CWD, npm_config_local_prefix: prefix }: NodeJS.ProcessEnv, cwd: string): string {
  return INIT_CWD !== undefined && prefix === cwd ? INIT_CWD : cwd;
}

/** npx looks in every folder above before it asks the registry. */
function isKnownToNpm(folder: string): boolean {
  const bin = join(folder, "node_modules", ".bin");
  if (hasProgram(bin)) return IS_WINDOWS || realpathSync(join(bin, "hookline")) === realpathSync(PROGRAM);
  const above = dirname(folder);
  return above !== folder && isKnownToNpm(above);
}

function hasProgram(folder: string): boolean {
  return FILE_NAMES.some((name) => {
    try {
      accessSync(resolve(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
