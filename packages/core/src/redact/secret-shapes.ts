/** A kind of secret that is recognized anywhere in text. */
interface SecretShape {
  readonly name: string;
  /** Every match holds one of them, in any case. */
  readonly words: readonly string[];
  /** The text of its group `keep` stays (`Bearer `, `password=`); the rest is hidden. */
  readonly pattern: RegExp;
  /** Finds something wherever `pattern` does, and is faster, because it begins at a word. */
  readonly quick: RegExp;
}

interface ShapeParts {
  readonly name: string;
  /** A look-behind: text that must not come before it. */
  readonly start?: string;
  /** The text before the word. */
  readonly lead?: string;
  readonly words: readonly string[];
  /** Between the word and the secret. With it, everything but the secret stays. */
  readonly kept?: string;
  readonly secret: string;
  readonly isAnyCase?: true;
}

const { raw } = String;
const NO_WORD = raw`(?<![\w-])`;
const NO_LETTER = "(?<![A-Za-z0-9])";
const NO_NAME = "(?<![A-Za-z0-9_])";
/** It may have backslashes before it: JSON inside JSON. */
const QUOTE = raw`(?:\\{0,9}["'])`;
const assigned = ["password", "passwd", "passphrase", "pwd", "secret", "token"];
const tokens = joined(["access", "auth", "refresh", "id"], "token");
const keys = joined(["api", "secret", "private", "access"], "key");

/**
 * The one list of shapes: redaction and the quick check before it (`may-hold-secret.ts`) derive from it. Each begins at a literal that no run
 * of its own characters can repeat (a look-behind ensures that) and never needs a second look at what follows, so text of any length and
 * malice is searched in linear time.
 */
// biome-ignore format: one shape, one line
const parts: readonly ShapeParts[] = [
  { name: "private-key", lead: "-----BEGIN [A-Z0-9 ]{0,40}", words: ["PRIVATE KEY"], secret: "(?: BLOCK)?-----[^-]*(?:-(?!----)[^-]*)*(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?" },
  { name: "jwt", start: NO_WORD, words: ["eyJ"], secret: raw`[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*` },
  { name: "anthropic-key", start: NO_WORD, words: ["sk-ant-"], secret: raw`[\w-]{20,}` },
  { name: "openai-key", start: NO_WORD, words: ["sk-"], secret: raw`(?:proj-|svcacct-|admin-|or-v1-)?(?=[\w-]{0,200}\d)[\w-]{20,}` },
  { name: "github-token", start: NO_NAME, words: ["gho_", "ghp_", "ghu_", "ghs_", "ghr_"], secret: "[A-Za-z0-9]{30,}" },
  { name: "github-token", start: NO_NAME, words: ["github_pat_"], secret: raw`\w{22,}` },
  { name: "gitlab-token", start: NO_WORD, words: ["glpat-", "gldt-", "glrt-", "glptt-", "glcbt-", "glsoat-"], secret: raw`[\w-]{20,}` },
  { name: "aws-key-id", start: NO_LETTER, words: ["AKIA", "ASIA", "AGPA", "AIDA", "AROA", "ANPA"], secret: "[A-Z0-9]{16}(?![A-Za-z0-9])" },
  { name: "aws-secret", start: NO_LETTER, words: ["aws"], kept: raw`_?(?:secret_?)?(?:access_?)?key${QUOTE}?\s{0,3}[:=]\s{0,3}${QUOTE}?`, secret: "[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])", isAnyCase: true },
  { name: "google-key", start: NO_WORD, words: ["AIza"], secret: raw`[\w-]{35}(?![\w-])` },
  { name: "google-oauth", start: raw`(?<![\w.-])`, words: ["ya29.", "GOCSPX-"], secret: raw`[\w-]{20,}` },
  { name: "google-oauth", start: raw`(?<![\w.-])`, words: ["1//0"], secret: raw`[\w-]{30,}` },
  { name: "slack-token", start: NO_WORD, words: ["xoxa-", "xoxb-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-"], secret: "[A-Za-z0-9-]{10,}" },
  { name: "slack-token", start: NO_WORD, words: ["xapp-"], secret: raw`\d-[A-Za-z0-9-]{10,}` },
  { name: "slack-webhook", words: ["hooks.slack.com/services/", "hooks.slack.com/workflows/"], kept: "", secret: raw`[\w/]{20,}` },
  { name: "discord-webhook", words: ["discord.com/api/webhooks/", "discordapp.com/api/webhooks/"], kept: raw`\d{10,25}/`, secret: raw`[\w-]{30,}` },
  { name: "stripe-key", start: NO_NAME, words: ["rk_live_", "rk_test_", "sk_live_", "sk_test_"], secret: "[A-Za-z0-9]{16,}" },
  { name: "stripe-key", start: NO_NAME, words: ["whsec_"], secret: "[A-Za-z0-9+/=]{20,}" },
  { name: "npm-token", start: NO_NAME, words: ["npm_"], secret: "[A-Za-z0-9]{36}(?![A-Za-z0-9])" },
  { name: "pypi-token", start: NO_WORD, words: ["pypi-"], secret: raw`[\w-]{50,}` },
  { name: "hugging-face-token", start: NO_NAME, words: ["hf_"], secret: "[A-Za-z0-9]{30,}" },
  { name: "sendgrid-key", start: raw`(?<![\w.-])`, words: ["SG."], secret: raw`[\w-]{16,64}\.[\w-]{16,64}` },
  { name: "vendor-token", start: NO_WORD, words: ["doo_v1_", "dop_v1_", "dor_v1_", "shpat_", "shpca_", "shppa_", "shpss_", "lin_api_", "ntn_", "figd_", "hvs.", "gsk_", "xai-", "pplx-", "tskey-", "sntrys_", "glsa_", "PMAK-", "rubygems_", "r8_", "AGE-SECRET-KEY-1", "ATATT3"], secret: raw`[\w.=+/-]{16,}` },
  { name: "vendor-token", start: NO_WORD, words: ["dapi"], secret: raw`[0-9a-f]{32}[\w.=+/-]*` },
  { name: "authorization", start: NO_LETTER, words: ["bearer", "basic", "token"], kept: raw`\s{1,4}`, secret: raw`(?=[\w.~+/=-]{0,200}[\d=])[\w.~+/=-]{16,}`, isAnyCase: true },
  { name: "url-password", start: "(?<![A-Za-z0-9+.-])", lead: "[a-z][a-z0-9+.-]{1,20}", words: ["://"], kept: raw`[^\s:/@"'<>]{0,100}:`, secret: raw`[^\s/@"'<>]{1,200}(?=@)`, isAnyCase: true },
  { name: "assignment", start: NO_LETTER, lead: "(?:[A-Za-z0-9]{1,30}[_-]){0,4}", words: [...assigned, ...tokens, ...keys], kept: raw`${QUOTE}?(?:=|:\s{0,3}(?=${QUOTE}))${QUOTE}?`, secret: raw`(?!\[redacted)(?:[^\s"'&;,)}\]<>$\\]|\\(?!\\{0,8}["'])){4,}`, isAnyCase: true },
  { name: "password-flag", start: raw`(?<!\S)`, lead: "-?", words: ["-password", "-passwd", "-passphrase", "-pass", "-token", "-secret", "-apikey", "-api-key", "-auth-token", "-access-token"], kept: raw`\s{1,3}`, secret: raw`(?![-$[])[^\s"'$]{4,}`, isAnyCase: true },
];

export const secretShapes: readonly SecretShape[] = parts.map(({ name, start = "", lead, words, kept, secret, isAnyCase }) => {
  const word = `(?:${words.map((each) => each.replace(/[.*+?^${}()|[\]\\]/g, raw`\$&`)).join("|")})`;
  const before = `${start}${lead ?? ""}${word}`;
  const whole = kept === undefined ? before + secret : `(?<keep>${before}${kept})${secret}`;
  const flags = isAnyCase === true ? "i" : "";
  // Without a lead the look-behind stays: it keeps a long run of the shape's own characters from being searched again and again.
  const quick = lead === undefined ? whole : `${word}${kept ?? ""}${secret}`;
  return { name, words, pattern: new RegExp(whole, `g${flags}`), quick: new RegExp(quick, flags) };
});

function joined(firsts: readonly string[], last: string): string[] {
  return firsts.flatMap((first) => ["", "_", "-"].map((sign) => `${first}${sign}${last}`));
}

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

/** No shape matches anything shorter than `pwd=abcd`. */
const SHORTEST = 8;

function kept(found: readonly unknown[]): string {
  const groups = found.at(-1);
  return typeof groups === "object" && groups !== null ? ((groups as { readonly keep?: string }).keep ?? "") : "";
}

function define(record: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") Object.defineProperty(record, key, { value, configurable: true, enumerable: true, writable: true });
  else record[key] = value;
}
