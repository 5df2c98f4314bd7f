import { redacted } from "./markers.js";

/** Replaces the values of secret-looking names in a copy of JSON data, in place. */
export function hideSecrets(node: unknown): void {
  if (Array.isArray(node)) return hideInList(node);
  if (typeof node !== "object" || node === null) return;
  const record = node as Record<string, unknown>;
  if (isNamedSecret(record)) record.value = redacted();
  for (const key of Object.keys(record)) {
    if (isTelling(record[key]) && isSecretName(key)) record[key] = redacted();
    else hideSecrets(record[key]);
  }
}

/** `apiKey`, `GITHUB_TOKEN`, `x-api-key`, `client_secret` and their like; not `maxTokens` or `tokenizer`. */
export function isSecretName(name: string): boolean {
  return SECRET.test(name.replace(/[^A-Za-z0-9]/g, "").toLowerCase());
}

/** Which words make a name secret. */
export const secretWords = {
  anywhere: [
    ...["password", "passwd", "passphrase", "passcode", "secret(?!ar)", "credential", "authorization"],
    ...["api", "access", "private", "signing", "encryption", "auth", "ssh"].map((what) => `${what}key`),
  ],
  atEnd: ["token", "cookie", "cookies", "jwt"],
  alone: ["pwd", "pass", "auth", "bearer"],
} as const;

const SECRET = new RegExp(`${secretWords.anywhere.join("|")}|(?:${secretWords.atEnd.join("|")})$|^(?:${secretWords.alone.join("|")})$`);

// Pairs (`["authorization", "…"]`, the entries of a Map) and flags (`"--token", "…"`).
function hideInList(list: unknown[]): void {
  for (const [index, item] of list.entries()) {
    const isName = typeof item === "string" && (item.startsWith("-") || (index === 0 && list.length === 2)) && isSecretName(item);
    if (isName && isTelling(list[index + 1])) list[index + 1] = redacted();
    else hideSecrets(item);
  }
}

// `{ name: "Authorization", value: "…" }`, as many APIs write headers and variables.
function isNamedSecret(record: Readonly<Record<string, unknown>>): boolean {
  const name = record.name ?? record.key;
  return typeof name === "string" && isTelling(record.value) && isSecretName(name);
}

/** `hasToken: true` and `password: null` reveal nothing. */
function isTelling(value: unknown): boolean {
  return value !== undefined && value !== null && typeof value !== "boolean" && value !== "";
}
