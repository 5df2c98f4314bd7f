/** What a secret looks like wherever it stands in text. */
interface SecretShape {
  readonly name: string;
  /** What `keep` names stays (`Bearer `, `password=`); the rest goes. */
  readonly pattern: RegExp;
}

/**
 * Each begins at a literal that no run of its own characters can repeat (a look-behind sees to it) and never needs a second look at
 * what follows, so that text of any length and malice is searched in linear time. A quote may have backslashes before it: JSON inside JSON.
 */
// biome-ignore format: one shape, one line
export const secretShapes: readonly SecretShape[] = [
  { name: "private-key", pattern: /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[^-]*(?:-(?!----)[^-]*)*(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?/g },
  { name: "jwt", pattern: /(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*/g },
  { name: "anthropic-key", pattern: /(?<![\w-])sk-ant-[\w-]{20,}/g },
  { name: "openai-key", pattern: /(?<![\w-])sk-(?:proj-|svcacct-|admin-|or-v1-)?(?=[\w-]{0,200}\d)[\w-]{20,}/g },
  { name: "github-token", pattern: /(?<![A-Za-z0-9_])(?:gh[opusr]_[A-Za-z0-9]{30,}|github_pat_\w{22,})/g },
  { name: "gitlab-token", pattern: /(?<![\w-])gl(?:pat|dt|rt|ptt|cbt|soat)-[\w-]{20,}/g },
  { name: "aws-key-id", pattern: /(?<![A-Za-z0-9])(?:AKIA|ASIA|AGPA|AIDA|AROA|ANPA)[A-Z0-9]{16}(?![A-Za-z0-9])/g },
  { name: "aws-secret", pattern: /(?<keep>(?<![A-Za-z0-9])aws_?(?:secret_?)?(?:access_?)?key(?:\\{0,9}["'])?\s{0,3}[:=]\s{0,3}(?:\\{0,9}["'])?)[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])/gi },
  { name: "google-key", pattern: /(?<![\w-])AIza[\w-]{35}(?![\w-])/g },
  { name: "google-oauth", pattern: /(?<![\w.-])(?:ya29\.[\w-]{20,}|GOCSPX-[\w-]{20,}|1\/\/0[\w-]{30,})/g },
  { name: "slack-token", pattern: /(?<![\w-])xox[abeoprs]-[A-Za-z0-9-]{10,}|(?<![\w-])xapp-\d-[A-Za-z0-9-]{10,}/g },
  { name: "slack-webhook", pattern: /(?<keep>hooks\.slack\.com\/(?:services|workflows)\/)[\w/]{20,}/g },
  { name: "discord-webhook", pattern: /(?<keep>discord(?:app)?\.com\/api\/webhooks\/\d{10,25}\/)[\w-]{30,}/g },
  { name: "stripe-key", pattern: /(?<![A-Za-z0-9_])(?:[rs]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/=]{20,})/g },
  { name: "npm-token", pattern: /(?<![A-Za-z0-9_])npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])/g },
  { name: "pypi-token", pattern: /(?<![\w-])pypi-[\w-]{50,}/g },
  { name: "hugging-face-token", pattern: /(?<![A-Za-z0-9_])hf_[A-Za-z0-9]{30,}/g },
  { name: "sendgrid-key", pattern: /(?<![\w.-])SG\.[\w-]{16,64}\.[\w-]{16,64}/g },
  { name: "vendor-token", pattern: /(?<![\w-])(?:do[opr]_v1_|shp(?:at|ca|pa|ss)_|lin_api_|ntn_|figd_|hvs\.|gsk_|xai-|pplx-|tskey-|sntrys_|glsa_|PMAK-|rubygems_|r8_|AGE-SECRET-KEY-1|ATATT3|dapi(?=[0-9a-f]{32}))[\w.=+/-]{16,}/g },
  { name: "authorization", pattern: /(?<keep>(?<![A-Za-z0-9])(?:bearer|basic|token)\s{1,4})(?=[\w.~+/=-]{0,200}[\d=])[\w.~+/=-]{16,}/gi },
  { name: "url-password", pattern: /(?<keep>(?<![A-Za-z0-9+.-])[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@"'<>]{0,100}:)[^\s/@"'<>]{1,200}(?=@)/gi },
  { name: "assignment", pattern: /(?<keep>(?<![A-Za-z0-9])(?:[A-Za-z0-9]{1,30}[_-]){0,4}(?:password|passwd|passphrase|pwd|secret|(?:access|auth|refresh|id)[_-]?token|token|(?:api|secret|private|access)[_-]?key)(?:\\{0,9}["'])?(?:=|:\s{0,3}(?=\\{0,9}["']))(?:\\{0,9}["'])?)(?!\[redacted)(?:[^\s"'&;,)}\]<>$\\]|\\(?!\\{0,8}["'])){4,}/gi },
  { name: "password-flag", pattern: /(?<keep>(?<!\S)--?(?:password|passwd|passphrase|pass|token|secret|api-?key|auth-token|access-token)\s{1,3})(?![-$[])[^\s"'$]{4,}/gi },
];

/** The text with what looks like a secret replaced by `[redacted github-token]` and the like. */
export function hideSecretsIn(text: string): string {
  if (text.length < SHORTEST) return text;
  let result = text;
  for (const { name, pattern } of secretShapes) result = result.replace(pattern, (...found) => `${kept(found)}[redacted ${name}]`);
  return result;
}

/** Searches every text in a copy of JSON data, keys too, in place; gives the data. */
export function hideSecretText(node: unknown): unknown {
  if (typeof node === "string") return hideSecretsIn(node);
  if (typeof node !== "object" || node === null) return node;
  if (Array.isArray(node)) {
    for (let i = 0; i < node.length; i++) node[i] = hideSecretText(node[i]);
    return node;
  }
  const record = node as Record<string, unknown>;
  if (Object.keys(record).some((key) => hideSecretsIn(key) !== key))
    return Object.fromEntries(Object.entries(record).map(([key, value]) => [hideSecretsIn(key), hideSecretText(value)]));
  for (const key of Object.keys(record)) {
    const value = hideSecretText(record[key]);
    // Assigning to __proto__ would set the prototype; what stands there was made by fromEntries and is data.
    if (value !== record[key]) define(record, key, value);
  }
  return record;
}

/** Nothing shorter than `pwd=abcd` matches any of them. */
const SHORTEST = 8;

function kept(found: readonly unknown[]): string {
  const groups = found.at(-1);
  return typeof groups === "object" && groups !== null ? ((groups as { readonly keep?: string }).keep ?? "") : "";
}

function define(record: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") Object.defineProperty(record, key, { value, configurable: true, enumerable: true, writable: true });
  else record[key] = value;
}
