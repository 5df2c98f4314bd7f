import type { Invocation } from "../machine/invocation.js";
import { commandList } from "./command-list.js";

const names = [...commandList.map(({ name }) => name), "help", "--", "\\["].join("|");
/** `hookline` followed by a command, unless it is part of a path or follows npx; and the folder to run it in. */
const COMMAND = new RegExp(`(\\bcd (?:'[^']*'|\\\\')+ && )?(?<![\\w./-]|npx )hookline(?= (?:${names}))`, "g");

/** Replaces commands such as `hookline up` in a text by what the user can type. */
export function withInvocation(text: string, { here, anywhere }: Invocation): string {
  return text.replace(COMMAND, (_, folder?: string) => (folder === undefined ? here : `${folder}${anywhere}`));
}
