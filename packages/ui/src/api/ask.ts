import type { ErrorAnswer } from "./answers.js";
import { ApiError } from "./api-error.js";
import { keyHeader } from "./page-key.js";

interface AskOptions {
  readonly body?: object;
  readonly signal?: AbortSignal;
}

/** One question to the hub: GET, or POST when there is a body. Throws `ApiError`. */
export async function askHub<T>(path: string, { body, signal }: AskOptions = {}): Promise<T> {
  const answer = await send(path, {
    method: body === undefined ? "GET" : "POST",
    credentials: "same-origin",
    headers: { ...keyHeader(), ...(body !== undefined && { "Content-Type": "application/json" }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal !== undefined && { signal }),
  });
  const told = await readJson(answer);
  if (answer.ok) return told as T;
  const error = (told as Partial<ErrorAnswer> | undefined)?.error;
  throw new ApiError(answer.status, error ?? { code: "HL_UNKNOWN", message: `The hub answered ${answer.status}.` });
}

async function send(path: string, options: RequestInit): Promise<Response> {
  try {
    return await fetch(path, options);
  } catch (cause) {
    if (options.signal?.aborted === true) throw cause;
    throw new ApiError(0, { code: "HL_UNREACHABLE", message: "The hub cannot be reached.", fix: "Start it: hookline up" });
  }
}

async function readJson(answer: Response): Promise<unknown> {
  try {
    return await answer.json();
  } catch {
    return undefined;
  }
}
