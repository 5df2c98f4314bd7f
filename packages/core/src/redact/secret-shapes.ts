import { compileWords, OTHER } from "./word-table.js";

/** A kind of secret that is recognized anywhere in text. */
interface SecretShape {
  readonly name: string;
  /** Every match holds one of them, in any case; one without words is found by its dots. */
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
  /** What the quick search finds behind the word, where `kept` and `secret` refer to what is before it. */
  readonly behind?: string;
  readonly isAnyCase?: true;
  /** It has no word that is worth a search, but two dots that are seven apart. */
  readonly isDotted?: true;
}

const { raw } = String;
const NO_WORD = raw`(?<![\w-])`;
const NO_LETTER = "(?<![A-Za-z0-9])";
const NO_NAME = "(?<![A-Za-z0-9_])";
/** It may have backslashes before it: JSON inside JSON. */
const QUOTE = raw`(?:\\{0,9}["'])`;
/** Also in JSON inside JSON. */
const LINE_START = raw`(?<=^|[\r\n"']|\\[rn])`;
const LINE_END = raw`(?=[\t ]{0,40}(?:[\r\n"'\\]|$|(?<=[\t ])#))`;
const LINE_BREAK = raw`(?:\r?\n|(?:\\r)?\\n)`;
const LINE = raw`(?:[^\r\n\\]|\\(?![rn])){1,4000}`;
/** `Authorization: Basic `, in a header, in JSON or as an assignment. */
const header = (schemes: string): string => raw`${QUOTE}?\s{0,2}[:=]\s{0,3}${QUOTE}?(?:${schemes})\s{1,4}`;
const headerWords = ["Authorization", "authorization", "AUTHORIZATION"];
/** What is before the name of a key in YAML. */
const yamlLead = raw`(?:[A-Za-z0-9]{1,30}[_.-]){0,4}[A-Za-z0-9]{0,30}`;
const yamlKey = raw`[\t ]{0,40}(?:- )?${yamlLead}`;
const yamlPasswords = ["password:", "passwd:", "passphrase:", "pwd:"];
/** A block in YAML: every line that is further to the right than its key, which a dash moves by two. */
const yamlBlock = (dash: string, spaces: string): Pick<ShapeParts, "lead" | "kept" | "secret" | "behind"> => {
  const indent = raw`\k<indent>[\t ]{${spaces}}`;
  return {
    lead: raw`(?<indent>[\t ]{0,40})${dash}${yamlLead}`,
    kept: raw`[\t ]{1,8}[|>][+-]?[0-9]?[+-]?[\t ]{0,8}(?:#[^\r\n\\]{0,200})?${LINE_BREAK}${indent}`,
    secret: raw`(?!\[redacted|[\t $<{*%])${LINE}(?:${LINE_BREAK}(?:[\t ]{0,80}${LINE_BREAK}){0,9}${indent}${LINE}){0,200}`,
    behind: raw`[\t ]{1,8}[|>]`,
  };
};
/** What stands behind a name in a schema or in a description of one. */
const NO_VALUE =
  "string|str|text|number|boolean|bool|required|optional|null|none|nil|true|false|yes|no|undefined|any|unknown|password|secret|hidden|disabled|enabled";
/** Up to so many words of a command before the flag. */
const args = (flags: string): string => raw`(?:\s{1,9}(?!(?:${flags})[^\w-])[^\s|;&]{1,300}){0,20}\s{1,9}(?:${flags})`;
const assigned = ["password", "pgpassword", "dbpassword", "passwd", "passphrase", "pwd", "secret", "clientsecret", "token"];
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
  { name: "putty-key", start: NO_WORD, words: ["PuTTY-User-Key-File-"], secret: raw`\d(?:[^]{0,8000}?Private-MAC: [0-9a-f]{20,})?` },
  { name: "jwt", start: NO_WORD, words: ["eyJ"], secret: raw`[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*` },
  { name: "anthropic-key", start: NO_WORD, words: ["sk-ant-"], secret: raw`[\w-]{20,}` },
  { name: "openai-key", start: NO_WORD, words: ["sk-"], secret: raw`(?:proj-|svcacct-|admin-|or-v1-)?(?=[\w-]{0,200}\d)[\w-]{20,}` },
  { name: "github-token", start: NO_NAME, words: ["gho_", "ghp_", "ghu_", "ghs_", "ghr_"], secret: "[A-Za-z0-9]{20,}" },
  { name: "github-token", start: NO_NAME, words: ["github_pat_"], secret: raw`\w{22,}` },
  { name: "gitlab-token", start: NO_WORD, words: ["glpat-", "gldt-", "glrt-", "glptt-", "glcbt-", "glsoat-"], secret: raw`[\w-]{20,}` },
  { name: "aws-key-id", start: NO_LETTER, words: ["AKIA", "ASIA", "AGPA", "AIDA", "AROA", "ANPA"], secret: "[A-Z0-9]{16}(?![A-Za-z0-9])" },
  { name: "aws-secret", start: NO_LETTER, words: ["aws"], kept: raw`_?(?:secret_?)?(?:access_?)?key${QUOTE}?\s{0,3}[:=]\s{0,3}${QUOTE}?`, secret: "[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])", isAnyCase: true },
  { name: "google-key", start: NO_WORD, words: ["AIza"], secret: raw`[\w-]{35}(?![\w-])` },
  { name: "google-oauth", start: raw`(?<![\w.-])`, words: ["ya29.", "GOCSPX-"], secret: raw`[\w-]{20,}` },
  { name: "google-oauth", start: raw`(?<![\w.-])`, words: ["1//0"], secret: raw`[\w-]{30,}` },
  { name: "slack-token", start: NO_WORD, words: ["xoxa-", "xoxb-", "xoxc-", "xoxd-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-"], secret: "[A-Za-z0-9-]{10,}" },
  { name: "slack-token", start: NO_WORD, words: ["xapp-"], secret: raw`\d-[A-Za-z0-9-]{10,}` },
  { name: "slack-webhook", words: ["hooks.slack.com/services/", "hooks.slack.com/workflows/"], kept: "", secret: raw`[\w/]{20,}` },
  { name: "discord-webhook", words: ["discord.com/api/webhooks/", "discordapp.com/api/webhooks/"], kept: raw`\d{10,25}/`, secret: raw`[\w-]{30,}` },
  { name: "stripe-key", start: NO_NAME, words: ["rk_live_", "rk_test_", "sk_live_", "sk_test_"], secret: "[A-Za-z0-9]{16,}" },
  { name: "stripe-key", start: NO_NAME, words: ["whsec_"], secret: "[A-Za-z0-9+/=]{20,}" },
  { name: "npm-token", start: NO_NAME, words: ["npm_"], secret: "[A-Za-z0-9]{36}(?![A-Za-z0-9])" },
  { name: "pypi-token", start: NO_WORD, words: ["pypi-"], secret: raw`[\w-]{50,}` },
  { name: "hugging-face-token", start: NO_NAME, words: ["hf_"], secret: "[A-Za-z0-9]{30,}" },
  { name: "sendgrid-key", start: raw`(?<![\w.-])`, words: ["SG."], secret: raw`[\w-]{16,64}\.[\w-]{16,64}` },
  { name: "vendor-token", start: NO_WORD, words: ["doo_v1_", "dop_v1_", "dor_v1_", "shpat_", "shpca_", "shppa_", "shpss_", "lin_api_", "ntn_", "figd_", "hvs.", "gsk_", "xai-", "pplx-", "tskey-", "sntrys_", "glsa_", "PMAK-", "rubygems_", "r8_", "AGE-SECRET-KEY-1", "ATATT3", "ATBB", "dckr_pat_", "sbp_", "nfp_", "pscale_tkn_", "pscale_pw_", "dp.pt.", "dp.st.", "sq0atp-", "sq0csp-", "NRAK-", "glc_", "HRKU-", "fm2_", "hvb.", "CLOJARS_", "eyJrIjoi"], secret: raw`[\w.=+/-]{16,}` },
  { name: "vendor-token", start: NO_WORD, words: ["secret_"], secret: "(?=[A-Za-z0-9]{0,42}[0-9])[A-Za-z0-9]{43}(?![A-Za-z0-9])" },
  { name: "vendor-token", start: NO_WORD, words: ["LTAI", "AKCp"], secret: "(?=[A-Za-z0-9]{0,60}[0-9])[A-Za-z0-9]{17,70}(?![A-Za-z0-9])" },
  { name: "vendor-token", start: NO_WORD, words: ["key-"], secret: "[0-9a-f]{32}(?![A-Za-z0-9])" },
  { name: "vendor-token", start: NO_WORD, words: ["pul-"], secret: "[0-9a-f]{40}(?![A-Za-z0-9])" },
  { name: "vendor-token", start: NO_WORD, lead: "[A-Za-z0-9]{14}", words: [".atlasv1."], secret: raw`[\w-]{40,}` },
  { name: "hookline-token", start: NO_WORD, words: ["hlk_"], secret: raw`[\w-]{43}(?![\w-])` },
  { name: "twilio-key", start: NO_NAME, words: [..."0123456789abcdef"].map((digit) => `SK${digit}`), secret: "[0-9a-f]{31}(?![A-Za-z0-9])" },
  { name: "telegram-token", start: NO_NAME, lead: "[0-9]{8,10}", words: [":AA"], secret: raw`[\w-]{32,33}(?![\w-])` },
  { name: "discord-token", start: raw`(?<![\w.-])`, words: ["M", "N", "O"], secret: raw`[\w-]{22,27}\.[\w-]{6}\.[\w-]{27,38}(?![\w-])`, isDotted: true },
  { name: "azure-key", start: NO_LETTER, words: ["AccountKey", "SharedAccessKey"], kept: raw`\s{0,2}=\s{0,2}`, secret: "[A-Za-z0-9+/]{20,}={0,2}", isAnyCase: true },
  { name: "azure-key", start: raw`(?<![\w~.-])`, lead: raw`[\w.~-]{3}`, words: ["8Q~"], secret: raw`[\w~.-]{31,34}(?![\w~.-])` },
  { name: "url-signature", lead: "[?&;]", words: ["sig=", "signature=", "x-amz-signature=", "x-amz-security-token=", "x-goog-signature="], kept: "", secret: "[A-Za-z0-9%+/=_-]{20,}", isAnyCase: true },
  { name: "secret-header", start: NO_LETTER, words: ["x-api-key", "x-auth-token", "x-access-token", "x-vault-token", "x-goog-api-key", "x-amz-security-token", "x-csrf-token", "x-xsrf-token", "x-shopify-access-token", "private-token", "job-token", "ocp-apim-subscription-key", "dd-api-key", "x-rapidapi-key"], kept: raw`${QUOTE}?\s{0,2}:\s{0,3}${QUOTE}?`, secret: raw`(?![[$<{])[^\s"'<>\\]{4,}`, isAnyCase: true },
  { name: "cookie", start: NO_LETTER, words: ["cookie"], kept: raw`${QUOTE}?\s{0,2}:\s{0,3}${QUOTE}?[^\s=;"':]{1,100}=`, secret: raw`(?!\[redacted)[^\r\n"'\\]{4,4000}`, isAnyCase: true },
  { name: "docker-auth", start: NO_LETTER, words: ["auth", "identitytoken"], kept: raw`${QUOTE}\s{0,3}:\s{0,3}${QUOTE}`, secret: "[A-Za-z0-9+/_.-]{8,}={0,2}" },
  { name: "kube-key", start: NO_LETTER, words: ["client-key-data"], kept: raw`:\s{1,3}`, secret: "[A-Za-z0-9+/]{40,}={0,2}" },
  { name: "wireguard-key", start: NO_LETTER, words: ["PrivateKey", "PresharedKey"], kept: raw`\s{0,3}=\s{0,3}`, secret: "[A-Za-z0-9+/]{42,43}=" },
  { name: "netrc-password", start: NO_LETTER, words: ["login"], kept: raw`\s{1,4}\S{1,100}\s{1,4}password\s{1,4}`, secret: raw`(?!\[redacted)\S{1,200}` },
  { name: "command-password", start: NO_LETTER, words: ["curl"], kept: raw`${args("-u|-U|--user|--proxy-user|--user=|--proxy-user=")}\s{0,3}${QUOTE}?[^\s:"'$]{1,100}:`, secret: raw`(?![[$])[^\s"'$]{1,200}` },
  { name: "command-password", start: NO_LETTER, words: ["mysql", "mariadb"], kept: raw`[a-z-]{0,12}${args("-p")}${QUOTE}?`, secret: raw`(?![[$])[^\s"'$|;&]{1,200}` },
  { name: "command-password", start: NO_LETTER, words: ["sshpass"], kept: raw`\s{1,4}-p\s{0,2}${QUOTE}?`, secret: raw`(?![[$])[^\s"'$]{1,200}` },
  { name: "command-password", start: NO_LETTER, words: ["docker login", "podman login", "az login", "oc login", "helm registry login"], kept: raw`${args("-p|-p=|--password=")}\s{0,3}${QUOTE}?`, secret: raw`(?![[$-])[^\s"'$|;&]{1,200}` },
  { name: "command-password", start: NO_LETTER, words: ["redis-cli"], kept: raw`${args("-a|--pass")}\s{1,3}${QUOTE}?`, secret: raw`(?![[$])[^\s"'$]{1,200}` },
  { name: "password-hash", words: ["$2a$", "$2b$", "$2y$", "$5$", "$6$", "$y$"], secret: "[A-Za-z0-9./$=,]{20,200}" },
  { name: "vendor-token", start: NO_WORD, words: ["dapi"], secret: raw`[0-9a-f]{32}[\w.=+/-]*` },
  { name: "authorization", start: NO_LETTER, words: headerWords, kept: header("[Bb]asic|BASIC"), secret: raw`(?!Auth)(?=[a-z]{0,200}[A-Z0-9+/=])[A-Za-z0-9+/_-]{4,}={0,2}(?![\w+/=-])` },
  { name: "authorization", start: NO_LETTER, words: headerWords, kept: header("[Bb]earer|BEARER|[Tt]oken|[Aa]pi[Kk]ey"), secret: raw`(?:(?=[\w.~+/-]{0,200}[\d=])[\w.~+/=-]{8,}|[A-Za-z.~+/=-]{24,})` },
  { name: "authorization", start: NO_LETTER, words: ["bearer", "basic", "token"], kept: raw`\s{1,4}`, secret: raw`(?=[\w.~+/=-]{0,200}[\d=])[\w.~+/=-]{16,}`, isAnyCase: true },
  { name: "url-password", start: "(?<![A-Za-z0-9+.-])", lead: "[a-z][a-z0-9+.-]{1,20}", words: ["://"], kept: raw`[^\s:/@"'<>]{0,100}:`, secret: raw`[^\s/@"'<>]{1,200}(?=@)`, isAnyCase: true },
  { name: "yaml-password", start: LINE_START, lead: yamlKey, words: yamlPasswords, kept: raw`[\t ]{1,8}\\{0,9}"`, secret: raw`(?!\[redacted|[$<{*%]|(?:${NO_VALUE})\\{0,9}")[^"\\\r\n]{1,400}(?=\\{0,9}")`, isAnyCase: true },
  { name: "yaml-password", start: LINE_START, lead: yamlKey, words: yamlPasswords, kept: raw`[\t ]{1,8}'`, secret: raw`(?!\[redacted|[$<{*%]|(?:${NO_VALUE})')(?:[^'\\\r\n]|''){1,400}(?=')`, isAnyCase: true },
  { name: "yaml-password", start: LINE_START, words: yamlPasswords, ...yamlBlock("", "1,80"), isAnyCase: true },
  { name: "yaml-password", start: LINE_START, words: yamlPasswords, ...yamlBlock("- ", "3,80"), isAnyCase: true },
  { name: "assignment", start: NO_LETTER, lead: "(?:[A-Za-z0-9]{1,30}[_-]){0,4}", words: [...assigned, ...tokens, ...keys], kept: raw`${QUOTE}?(?:=|:\s{0,3}(?=${QUOTE}))${QUOTE}?`, secret: raw`(?!\[redacted)(?:[^\s"'&;,)}\]<>$\\]|\\(?!\\{0,8}["'])){4,}`, isAnyCase: true },
  { name: "yaml-password", start: LINE_START, lead: yamlKey, words: yamlPasswords, kept: raw`[\t ]{1,8}(?:!!str[\t ]{1,8})?`, secret: raw`(?![[|>&*!{$#<~%@-]|(?:${NO_VALUE})(?![^\s]))(?:[^\s"'\\${"`"},;(){}<>$]|[,$](?=[^\s"'\\])){1,200}${LINE_END}`, isAnyCase: true },
  { name: "yaml-secret", start: LINE_START, lead: raw`[\t ]{0,40}(?:- )?(?:[A-Za-z0-9]{1,30}[_.-]){0,4}`, words: ["secret", "token", ...tokens, ...keys].map((word) => `${word}:`), kept: raw`[\t ]{1,8}`, secret: raw`(?![[|>&*!{$#<~%@-])(?=[^\s]{0,200}[0-9])[^\s"'\\${"`"},;(){}<>$]{8,200}${LINE_END}`, isAnyCase: true },
  { name: "password-flag", start: raw`(?<!\S)`, lead: "-?", words: ["-password", "-passwd", "-passphrase", "-pass", "-token", "-secret", "-apikey", "-api-key", "-auth-token", "-access-token"], kept: raw`\s{1,3}`, secret: raw`(?![-$[])[^\s"'$]{4,}`, isAnyCase: true },
];

export const secretShapes: readonly SecretShape[] = parts.map((shape) => {
  const { name, start = "", lead, words, kept, secret, behind = `${kept ?? ""}${secret}`, isAnyCase, isDotted } = shape;
  const word = `(?:${words.map((each) => each.replace(/[.*+?^${}()|[\]\\]/g, raw`\$&`)).join("|")})`;
  const before = `${start}${lead ?? ""}${word}`;
  const whole = kept === undefined ? before + secret : `(?<keep>${before}${kept})${secret}`;
  const flags = isAnyCase === true ? "i" : "";
  // Without a lead the look-behind stays: it keeps a long run of the shape's own characters from being searched again and again.
  const quick = lead === undefined ? whole : `${word}${behind}`;
  return { name, words: isDotted === true ? [] : words, pattern: new RegExp(whole, `g${flags}`), quick: new RegExp(quick, flags) };
});

function joined(firsts: readonly string[], last: string): string[] {
  return firsts.flatMap((first) => ["", "_", "-"].map((sign) => `${first}${sign}${last}`));
}

/** The text with what looks like a secret replaced by `[redacted github-token]` and the like. */
export function hideSecretsIn(text: string): string {
  if (text.length < SHORTEST) return text;
  let result = text;
  for (const shape of shapesIn(text)) {
    const { name, pattern } = secretShapes[shape] as SecretShape;
    result = result.replace(pattern, (...found) => `${kept(found)}[redacted ${name}]`);
  }
  return result;
}

/** The names of all shapes. */
export function secretNames(): readonly string[] {
  return [...new Set(secretShapes.map(({ name }) => name))];
}

/** A secret in a text, without what only leads to it, such as `password=`. */
export interface FoundSecret {
  readonly name: string;
  readonly secret: string;
}

/** The secrets in a text. A placeholder such as `$TOKEN` or `***` is not one. */
export function secretsInText(text: string): readonly FoundSecret[] {
  return shapesIn(text).flatMap((shape) => {
    const { name, pattern } = secretShapes[shape] as SecretShape;
    const secrets = Array.from(text.matchAll(pattern), (match) => match[0].slice(match.groups?.keep?.length ?? 0));
    return secrets.filter((secret) => !PLACEHOLDER.test(secret)).map((secret) => ({ name, secret }));
  });
}

/** The names of the shapes of the secrets in a text. */
export function secretNamesIn(text: string): readonly string[] {
  return [...new Set(secretsInText(text).map(({ name }) => name))];
}

const PLACEHOLDER = /^(?:[$<{%*]|x{3,}$)/i;

/** The words of all shapes: one pass over a text tells which shapes it can hold. */
export const anchors = compileWords(secretShapes.map(({ words }) => words));
/** The shapes that are found by two dots, seven apart. */
export const dottedShapes: readonly number[] = secretShapes.flatMap(({ words }, shape) => (words.length === 0 ? shape : []));
const DOT = 46;

export function hasDots(text: string, at: number): boolean {
  return text.charCodeAt(at) === DOT && text.charCodeAt(at - 7) === DOT;
}

const NONE: readonly number[] = [];

/** In the order of the list, because what one shape hides the next one does not see. */
function shapesIn(text: string): readonly number[] {
  const { width, symbols, moves, firstHit, found } = anchors;
  let hits: Set<number> | undefined;
  let state = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    state = moves[state + (code < 128 ? (symbols[code] as number) : OTHER)] as number;
    if (code === DOT && hasDots(text, index)) hits = new Set([...(hits ?? NONE), ...dottedShapes]);
    if (state < firstHit) continue;
    hits ??= new Set();
    for (const shape of found[state / width] as readonly number[]) hits.add(shape);
  }
  return hits === undefined ? NONE : [...hits].sort((a, b) => a - b);
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
