import { HookError } from "@hookline/core";
import { refusedWith } from "../http/refused.js";

/** What a part of the hub answers; an error with one of these codes becomes a refusal with that status. */
export async function known<T>(statuses: { readonly [code: string]: number }, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    const status = error instanceof HookError ? statuses[error.code] : undefined;
    throw status === undefined ? error : refusedWith(status, error as HookError);
  }
}
