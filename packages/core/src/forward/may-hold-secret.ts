import { compileWords, HIT, OTHER } from "./word-table.js";

/**
 * Whether redaction could change anything in a JSON document: a quick look that may be wrong, but never says no where there is a secret.
 * Everything that redact/secret-shapes.ts and redact/secrets.ts find is found by it; a test holds them together.
 */
export function mayHoldSecret(json: string): boolean {
  const found = scan(json);
  return found === "name" || (found === "shape" && (SHAPES.test(json) || holdsName(json)));
}

const KEYS = ["api", "access", "private", "signing", "encryption", "auth", "ssh"];
/** The words of redact/secrets.ts, with a quote where a name must begin or end. */
const names = compileWords([
  ...["password", "passwd", "passphrase", "passcode", "secret", "credential", "authorization", ...KEYS.map((what) => `${what}key`)],
  ...["token", "cookie", "cookies", "jwt"].map((word) => `${word}"`),
  ...["pwd", "pass", "auth", "bearer"].map((word) => `"${word}"`),
]);

/** How the shapes begin, or what they cannot do without. Where one of them stands, the expressions below have a look. */
const anchors = compileWords([
  ..."private key|eyj|sk-|gho_|ghp_|ghu_|ghs_|ghr_|github_|glpat-|gldt-|glrt-|glptt-|glcbt-|glsoat-|akia|asia|agpa|aida|aroa|anpa".split(
    "|",
  ),
  ..."aws|aiza|ya29.|gocspx-|1//0|xox|xapp-|hooks.slack|/webhooks/|k_live_|k_test_|whsec_|npm_|pypi-|hf_|sg.|://".split("|"),
  ..."doo_v1_|dop_v1_|dor_v1_|shpat_|shpca_|shppa_|shpss_|lin_api_|ntn_|figd_|hvs.|gsk_|xai-|pplx-|tskey-|sntrys_|glsa_|pmak-|rubygems_|r8_".split(
    "|",
  ),
  ..."age-secret-key-1|atatt3|dapi".split("|"),
  ..."bearer|basic|token|password|passwd|passphrase|pwd|secret|-pass".split("|"),
  ...["api", "secret", "private", "access"].flatMap((what) => [`${what}key`, `${what}_key`, `${what}-key`]),
]);

const BACKSLASH = 92;
const LOWER_U = 117;

/**
 * One pass for both. Of a name letters and digits count, and whatever stands between them does not (`x-api-key`, `API KEY`); whatever is
 * escaped is neither, and an escaped quote ends no text. 300 bytes in about 1 µs, where the expressions alone take 3 and the redactor 30.
 */
function scan(json: string): "name" | "shape" | undefined {
  let name = 0;
  let shape = 0;
  for (let index = 0; index < json.length; index++) {
    const code = json.charCodeAt(index);
    if (code === BACKSLASH) {
      index += json.charCodeAt(index + 1) === LOWER_U ? 5 : 1;
      shape = 0;
      continue;
    }
    const isAscii = code < 128;
    shape = anchors.moves[shape + (isAscii ? (anchors.symbols[code] as number) : OTHER)] as number;
    if (shape === HIT) return "shape";
    if (!isAscii || !isCounted[code]) continue;
    name = names.moves[name + (names.symbols[code] as number)] as number;
    if (name === HIT) return "name";
  }
  return undefined;
}

function holdsName(json: string): boolean {
  let name = 0;
  for (let index = 0; index < json.length; index++) {
    const code = json.charCodeAt(index);
    if (code === BACKSLASH) index += json.charCodeAt(index + 1) === LOWER_U ? 5 : 1;
    else if (code < 128 && isCounted[code]) {
      name = names.moves[name + (names.symbols[code] as number)] as number;
      if (name === HIT) return true;
    }
  }
  return false;
}

const isCounted = Uint8Array.from({ length: 128 }, (_, code) => (/["a-z0-9]/i.test(String.fromCharCode(code)) ? 1 : 0));

// A space in a text is a space here, or an escape.
const SPACE = String.raw`(?:\s|\\[a-z][0-9a-f]{0,4})`;
// With as many backslashes as JSON inside JSON inside JSON takes.
const QUOTE = String.raw`(?:\\+["']|')`;
const NAMES = "password|passwd|passphrase|pwd|secret|token|(?:api|secret|private|access)[_-]?key";

/** Of each shape what no escape can change: letters, digits and most signs stand in JSON as they are. */
const SHAPES = new RegExp(
  [
    "private key",
    String.raw`eyj[\w-]{8}`,
    String.raw`sk-[\w-]{20}`,
    "gh[opusr]_[a-z0-9]{30}|github_pat_",
    "gl(?:pat|dt|rt|ptt|cbt|soat)-",
    "(?:akia|asia|agpa|aida|aroa|anpa)[a-z0-9]{16}",
    "aws_?(?:secret_?)?(?:access_?)?key",
    String.raw`aiza[\w-]{35}`,
    String.raw`ya29\.[\w-]{20}|gocspx-[\w-]{20}|1//0[\w-]{30}`,
    String.raw`xox[abeoprs]-[a-z0-9-]{10}|xapp-\d-`,
    String.raw`hooks\.slack\.com`,
    "/api/webhooks/",
    "[rs]k_(?:live|test)_|whsec_",
    "npm_[a-z0-9]{36}",
    String.raw`pypi-[\w-]{50}`,
    "hf_[a-z0-9]{30}",
    String.raw`sg\.[\w-]{16}`,
    String.raw`(?:do[opr]_v1_|shp(?:at|ca|pa|ss)_|lin_api_|ntn_|figd_|hvs\.|gsk_|xai-|pplx-|tskey-)[\w.=+/-]{16}`,
    String.raw`(?:sntrys_|glsa_|pmak-|rubygems_|r8_|age-secret-key-1|atatt3|dapi)[\w.=+/-]{16}`,
    String.raw`(?:bearer|basic|token)${SPACE}{1,4}[\w.~+/=-]{16}`,
    // A character is up to six when it is escaped.
    String.raw`://[^\s:/@"'<>]{0,600}:[^\s/@"'<>]{1,1200}@`,
    `(?:${NAMES})${QUOTE}?(?:=|:${SPACE}{0,3}${QUOTE})`,
    `-(?:password|passwd|passphrase|pass|token|secret|api-?key)${SPACE}`,
  ].join("|"),
  "i",
);
