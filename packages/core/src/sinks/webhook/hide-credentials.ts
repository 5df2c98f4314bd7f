/** Takes what must not be repeated out of a text. */
export type HideCredentials = (text: string) => string;

/** Shorter ones would blacken ordinary words, and guard nothing. */
const MIN_SECRET_LENGTH = 6;

/** Header values are given whole; the credential in `Bearer …` is hidden alone as well. */
export function createCredentialHider(values: Iterable<string>): HideCredentials {
  const parts = [...values].flatMap((value) => [value, value.replace(/^whsec_/, ""), ...value.split(/[\s,;=]+/)]);
  const secrets = [...new Set(parts)].filter((part) => part.length >= MIN_SECRET_LENGTH);
  // The longest first: a part of a secret would else leave the rest of it standing.
  secrets.sort((a, b) => b.length - a.length);
  return (text) => secrets.reduce((hidden, secret) => hidden.replaceAll(secret, "***"), text);
}
