import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mayHoldSecret } from "./may-hold-secret.js";
import { createRedactor } from "./redact.js";
import { secretShapes } from "./secret-shapes.js";

const redactor = createRedactor({ redactText: true }, () => {});

function isChanged(payload: unknown): boolean {
  return JSON.stringify(redactor.payload(payload)) !== JSON.stringify(payload);
}

/** The quick check must flag whatever redaction would change. */
function expectSound(payload: unknown): boolean {
  const json = JSON.stringify(payload);
  const changed = isChanged(payload);
  if (changed) expect(mayHoldSecret(json), json).toBe(true);
  return changed;
}

const letters = "aB3dE5gH7jK9mN1pQ2sT4vW6xY8zC0fR".repeat(9);
const run = (count: number) => letters.slice(0, count);
const noise = fc.string({ unit: fc.constantFrom(..." \t\n\u0001\u000b\u00a0\ud800\\\"'-_./:=@,;ſKé0nbt".split(""), ""), maxLength: 6 });
const anything = fc.string({ unit: "binary", maxLength: 12 });

/** Beginnings, names and separators of every shape, put together in every way. */
const parts = [
  ..."-----BEGIN RSA PRIVATE KEY-----|-----BEGIN PGP PRIVATE KEY BLOCK-----|sk-ant-|sk-|sk-proj-|ghp_|gho_|ghr_|github_pat_|glpat-|glsoat-".split(
    "|",
  ),
  ..."AKIA|ASIA|AROA|aws_secret_access_key|awskey|AWS_KEY|AIza|ya29.|GOCSPX-|1//0|xoxb-|xapp-1-|hooks.slack.com/services/".split("|"),
  ..."discord.com/api/webhooks/1234567890123/|discordapp.com/api/webhooks/12345678901/|sk_live_|rk_test_|whsec_|npm_|pypi-|hf_|SG.".split(
    "|",
  ),
  ..."dop_v1_|shpat_|shpss_|lin_api_|ntn_|figd_|hvs.|gsk_|xai-|pplx-|tskey-|sntrys_|glsa_|PMAK-|rubygems_|r8_|AGE-SECRET-KEY-1|ATATT3|dapi".split(
    "|",
  ),
  ...["dapi0123456789abcdef0123456789abcdef", "$2y$", "$6$"],
  ..."Bearer |basic |token |TOKEN\n|https://ann:|postgres://|@|password|passwd|passphrase|pwd|secret|access_token|id-token|token|api_key".split(
    "|",
  ),
  ...'private-key|--password |--pass |-token |--api-key |--access-token |=|:|: "|"|\'|="|eyJ|.eyJ|.'.split("|"),
];
const piece = fc.oneof(fc.constantFrom(...parts), fc.constantFrom(4, 16, 20, 22, 30, 35, 36, 40, 50, 64).map(run), noise, anything);
const text = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(""));

const words =
  "password passwd passphrase passcode secret secretary credential authorization apikey accesskey privatekey signingkey encryptionkey authkey sshkey token cookie cookies jwt pwd pass auth bearer key tokens";
const name = fc
  .tuple(fc.constantFrom(...words.split(" ")), fc.array(noise, { maxLength: 14 }), fc.constantFrom("", "x", "my-", "X_"), fc.boolean())
  .map(([word, between, before, isUpper]) => {
    const spaced = [...word].map((letter, index) => letter + (between[index] ?? "")).join("");
    return before + (isUpper ? spaced.toUpperCase() : spaced);
  });

describe("the quick check before redaction", () => {
  it("finds every text that redaction would change", () => {
    let changed = 0;
    fc.assert(
      fc.property(text, text, (one, other) => {
        if (expectSound({ a: one, [other]: [one + other] })) changed++;
      }),
      { numRuns: 4_000 },
    );
    expect(changed).toBeGreaterThan(200);
  });

  it("finds every name, however it is written and wherever it stands", () => {
    let changed = 0;
    fc.assert(
      fc.property(name, fc.oneof(text, fc.integer(), fc.constant({ a: 1 })), (key, value) => {
        const shapes = [{ [key]: value }, { list: [key, value] }, [`-${key}`, value], { name: key, value }, { key, value }];
        for (const shape of shapes) if (expectSound(shape)) changed++;
      }),
      { numRuns: 3_000 },
    );
    expect(changed).toBeGreaterThan(1_000);
  });

  it("finds whatever else is changed in any JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => void expectSound(value)),
      { numRuns: 500 },
    );
  });

  it.each(secretShapes.map(({ name, pattern }) => ({ name, pattern })))("flags whatever the shape $name matches", ({ pattern }) => {
    const made = fc.stringMatching(new RegExp(`^${withoutLookarounds(withoutIndent(pattern.source))}$`));
    let matched = 0;
    fc.assert(
      fc.property(
        fc.oneof(fc.constantFrom("", " ", "\n"), noise),
        made,
        fc.oneof(fc.constantFrom("\n", "@", '"', "'"), noise),
        (before, secret, after) => {
          const text = before + secret + after;
          for (const each of [text, JSON.stringify([text])]) {
            if (each.match(pattern) === null) continue;
            matched++;
            expect(mayHoldSecret(JSON.stringify({ each }))).toBe(true);
          }
        },
      ),
      { numRuns: 200 },
    );
    // A shape that wants a certain neighbour matches few of the texts around it.
    expect(matched).toBeGreaterThan(0);
  });

  it.each([...new Set(secretShapes.map(({ name }) => name))])("knows an example of %s", (shape) => {
    const example = examples[shape];
    expect(example).toBeDefined();
    const payload = { text: `x ${example} y` };
    expect(JSON.stringify(redactor.payload(payload))).toContain(`[redacted ${shape}]`);
    expectSound(payload);
  });

  it("flags a secret that ends in a backslash", () => {
    expect(expectSound({ each: "auth_token=\\(0\\" })).toBe(true);
  });

  it("passes what agents usually send", () => {
    const usual = [
      {
        tool: { name: "Bash", input: { command: "git log --oneline | head" } },
        usage: { inputTokens: 12, maxTokens: 4096 },
        key: "a",
        k: "api",
      },
      { text: "The author of the tokenizer passed the key to the door.", url: "https://example.test/a@b?c=d:e" },
    ];
    for (const payload of usual) expect(mayHoldSecret(JSON.stringify(payload))).toBe(false);
  });

  it("looks at long and hostile text in linear time", () => {
    const hostile = [
      "\t".repeat(300_000),
      "://".repeat(100_000),
      "token x ".repeat(50_000),
      "sk- ".repeat(100_000),
      "p.a.s.s.".repeat(40_000),
      "curl -u ".repeat(40_000),
      "mysql -p ".repeat(40_000),
      "curl a ".repeat(40_000),
      "login a password ".repeat(20_000).replaceAll("password ", "pass "),
      ".aaaaaa.".repeat(40_000),
      "12345678:AA".repeat(30_000),
    ];
    // Quadratic would take longer than a test may.
    for (const body of hostile) expect(mayHoldSecret(JSON.stringify({ body }))).toBe(false);
  });
});

/** The generator knows no references to groups: keys of YAML that are not indented. */
function withoutIndent(source: string): string {
  return source.replace(/\(\?<indent>[^)]*\)/, "").replaceAll("\\k<indent>", "");
}

/** fast-check makes text for expressions without look-behinds and look-aheads. What they would have refused, the test skips. */
function withoutLookarounds(source: string): string {
  const start = source.search(/\(\?<?[=!]/);
  if (start < 0) return source;
  let depth = 0;
  let isClass = false;
  for (let index = start; index < source.length; index++) {
    const sign = source[index];
    if (sign === "\\") index++;
    else if (isClass) isClass = sign !== "]";
    else if (sign === "[") isClass = true;
    else if (sign === "(") depth++;
    else if (sign === ")" && --depth === 0) return withoutLookarounds(source.slice(0, start) + source.slice(index + 1));
  }
  throw new Error(`The groups of ${source} do not end.`);
}

const examples: { readonly [shape: string]: string } = {
  "password-hash": `$2y$10$${run(53)}`,
  "private-key": `-----BEGIN RSA PRIVATE KEY-----\n${run(64)}`,
  jwt: `eyJ${run(20)}.eyJ${run(40)}.${run(43)}`,
  "anthropic-key": `sk-ant-api03-${run(60)}`,
  "openai-key": `sk-proj-${run(48)}`,
  "github-token": `ghp_${run(36)}`,
  "gitlab-token": `glpat-${run(20)}`,
  "aws-key-id": `AKIA${run(16).toUpperCase()}`,
  "aws-secret": `aws_secret_access_key = ${run(40)}`,
  "vendor-token": `dop_v1_${run(32)}`,
  "google-key": `AIza${run(35)}`,
  "google-oauth": `ya29.${run(60)}`,
  "slack-token": `xoxb-123456789012-${run(24)}`,
  "slack-webhook": `https://hooks.slack.com/services/T00000000/B00000000/${run(24)}`,
  "discord-webhook": `https://discord.com/api/webhooks/123456789012345678/${run(68)}`,
  "stripe-key": `sk_live_${run(24)}`,
  "putty-key": `PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 1\nAAAA\nPrivate-MAC: ${"a1".repeat(20)}`,
  "npm-token": `npm_${run(36)}`,
  "pypi-token": `pypi-${run(80)}`,
  "hugging-face-token": `hf_${run(34)}`,
  "sendgrid-key": `SG.${run(22)}.${run(43)}`,
  authorization: `Bearer\n\t${run(32)}`,
  "url-password": "psql postgres://ann:hunter2!@db:5432/x",
  assignment: '{"client_secret":\n"s3cr3t-value"}',
  "hookline-token": `hlk_${run(43)}`,
  "twilio-key": `SK${"0123456789abcdef".repeat(2)}`,
  "telegram-token": `123456789:AA${run(33)}`,
  "discord-token": `MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.${run(38)}`,
  "azure-key": `AccountKey=${run(86)}==`,
  "url-signature": `https://a.test/?sp=r&sig=${run(40)}%3D`,
  "secret-header": "X-Api-Key: hunterTwo",
  cookie: "Cookie: theme=dark; sid=abcdef",
  "docker-auth": '{"auth": "dXNlcjpwYXNz"}',
  "kube-key": `client-key-data: ${run(60)}==`,
  "wireguard-key": `PrivateKey = ${run(43)}=`,
  "netrc-password": "machine api.test\n  login ann\n  password hunter2!",
  "command-password": "curl -s -u ann:hunter2! https://x.test",
  "yaml-password": "\n  password: swordfish\n",
  "yaml-secret": "\n- api_key: abcd1234efgh\n",
  "password-flag": "login --password hunter2! -v",
};
