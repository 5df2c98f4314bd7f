import { userInfo } from "node:os";

/** The user's name in the record. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return "a person";
  }
}
