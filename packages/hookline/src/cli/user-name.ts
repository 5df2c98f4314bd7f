import { userInfo } from "node:os";

/** Who answers at this terminal, as the record names them. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return "a person";
  }
}
