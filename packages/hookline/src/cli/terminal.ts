import { findInvocation, type Invocation } from "../machine/invocation.js";
import { createPaint, type Paint } from "./format/paint.js";
import { withInvocation } from "./invocation.js";

/** A stream for text: `process.stdout`, or one of a test. */
interface TextStream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** The parts of the process that a command uses. */
export interface Terminal {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: NodeJS.ReadStream;
  /** Prints a line of data to stdout. */
  print(line: string): void;
  /** Prints a message to stderr. The commands in it can be typed as shown. */
  say(line: string): void;
  /** A text in which the commands are written as the user can type them. */
  typeable(text: string): string;
  /** Colours for data, and for messages, in which commands can be typed as shown. */
  readonly paint: Paint;
  readonly paintTalk: Paint;
  /** How wide a printed line may be; unlimited unless stdout is a terminal. */
  readonly columns: number;
  /** Whether messages go to a terminal. */
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
  const paintMessage = createPaint(isColoured(stderr, env));
  return {
    env,
    stdin,
    print: (line) => void stdout.write(`${line}\n`),
    say: (line) => void stderr.write(`${typeable(line)}\n`),
    typeable,
    paint: createPaint(isColoured(stdout, env)),
    // A colour in front of a command would hide where the command starts.
    paintTalk: (style, text) => paintMessage(style, typeable(text)),
    get columns() {
      return stdout.isTTY === true ? (stdout.columns ?? 80) : Number.POSITIVE_INFINITY;
    },
    isInteractive: stderr.isTTY === true,
  };
}

// https://no-color.org and https://force-color.org: FORCE_COLOR takes precedence.
function isColoured({ isTTY = false }: TextStream, { NO_COLOR, FORCE_COLOR, TERM }: NodeJS.ProcessEnv): boolean {
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== "") return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  if (NO_COLOR !== undefined && NO_COLOR !== "") return false;
  return isTTY && TERM !== "dumb";
}
