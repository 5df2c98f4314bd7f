import { createPaint, type Paint } from "./format/paint.js";
import { findInvocation, type Invocation, withInvocation } from "./invocation.js";

/** A stream one writes text to: `process.stdout`, or a test's own. */
interface TextStream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** What a command sees of the process it runs in. */
export interface Terminal {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: NodeJS.ReadStream;
  /** Data, a line: stdout. */
  print(line: string): void;
  /** Talk, a line: stderr. The commands in it can be typed as they stand there. */
  say(line: string): void;
  /** A text of ours, with its commands as they can be typed at this terminal. */
  typeable(text: string): string;
  /** Colours for what is printed, and for what is said. */
  readonly paint: Paint;
  readonly paintTalk: Paint;
  /** How wide a printed line may be; unlimited when nobody looks at it. */
  readonly columns: number;
  /** Whether people look at what is said. */
  readonly isInteractive: boolean;
}

export interface TerminalStreams {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: TextStream;
  readonly stderr: TextStream;
}

export function createTerminal({ env, stdin, stdout, stderr }: TerminalStreams): Terminal {
  let invocation: Invocation | undefined;
  const typeable = (text: string): string => {
    if (!text.includes("hookline ")) return text;
    invocation ??= findInvocation(env);
    return withInvocation(text, invocation);
  };
  return {
    env,
    stdin,
    print: (line) => void stdout.write(`${line}\n`),
    say: (line) => void stderr.write(`${typeable(line)}\n`),
    typeable,
    paint: createPaint(isColoured(stdout, env)),
    paintTalk: createPaint(isColoured(stderr, env)),
    get columns() {
      return stdout.isTTY === true ? (stdout.columns ?? 80) : Number.POSITIVE_INFINITY;
    },
    isInteractive: stderr.isTTY === true,
  };
}

// https://no-color.org and https://force-color.org: who forces has the last word.
function isColoured({ isTTY = false }: TextStream, { NO_COLOR, FORCE_COLOR, TERM }: NodeJS.ProcessEnv): boolean {
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== "") return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  if (NO_COLOR !== undefined && NO_COLOR !== "") return false;
  return isTTY && TERM !== "dumb";
}
