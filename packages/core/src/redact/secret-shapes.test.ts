import { describe, expect, it } from "vitest";
import { hideSecretsIn, hideSecretText, secretShapes } from "./secret-shapes.js";

// Put together here, so that no scanner of repositories takes them for real ones.
const letters = (count: number): string => "aB3dE5gH7jK9mN1pQ2sT4vW6xY8zC0fR".repeat(9).slice(0, count);
const upper = (count: number): string => letters(count).toUpperCase();

/** The whole text, and the part of it that must go. */
const secrets: readonly (readonly [shape: string, before: string, secret: string, after: string])[] = [
  [
    "private-key",
    "key: ",
    `-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n${letters(64)}\n-----END RSA PRIVATE KEY-----`,
    " end",
  ],
  ["private-key", "", `-----BEGIN OPENSSH PRIVATE KEY-----\\n${letters(90)}`, ""],
  ["jwt", "cookie sid=", `eyJ${letters(20)}.eyJ${letters(40)}.${letters(43)}`, "; path=/"],
  ["anthropic-key", "export K=", `sk-ant-api03-${letters(60)}`, "\n"],
  ["openai-key", "curl -H 'x: ", `sk-proj-${letters(48)}`, "'"],
  ["openai-key", "", `sk-${letters(48)}`, ""],
  ["github-token", "git clone https://", `ghp_${letters(36)}`, "@github.com/a/b"],
  ["github-token", "", `github_pat_${letters(22)}_${letters(59)}`, ""],
  ["gitlab-token", "", `glpat-${letters(20)}`, " x"],
  ["aws-key-id", "id ", `AKIA${upper(16)}`, "."],
  ["aws-secret", "aws_secret_access_key = ", letters(40), "\n"],
  ["google-key", "?key=", `AIza${letters(35)}`, "&x=1"],
  ["google-oauth", "", `ya29.${letters(60)}`, ""],
  ["slack-token", "", `xoxb-123456789012-${letters(24)}`, ""],
  ["slack-webhook", "https://hooks.slack.com/services/", `T00000000/B00000000/${letters(24)}`, ""],
  ["discord-webhook", "https://discord.com/api/webhooks/123456789012345678/", letters(68), ""],
  ["stripe-key", "", `sk_live_${letters(24)}`, ""],
  ["stripe-key", "", `whsec_${letters(32)}`, ""],
  ["npm-token", "//npm.example/:_authX ", `npm_${letters(36)}`, ""],
  ["pypi-token", "", `pypi-${letters(80)}`, ""],
  ["hugging-face-token", "", `hf_${letters(34)}`, ""],
  ["sendgrid-key", "", `SG.${letters(22)}.${letters(43)}`, ""],
  ["vendor-token", "", `dop_v1_${"0123456789abcdef".repeat(4)}`, ""],
  ["vendor-token", "curl -H 'X-Shopify: ", `shpat_${"0123456789abcdef".repeat(2)}`, "'"],
  ["vendor-token", "", `dapi${"0123456789abcdef".repeat(2)}`, " x"],
  ["vendor-token", "VAULT ", `hvs.${letters(24)}`, "\n"],
  ["vendor-token", "", `ATATT3xFfGF0${letters(60)}=1A2B3C4D`, ""],
  ["authorization", "Authorization: Bearer ", letters(32), '"'],
  ["authorization", "authorization: basic ", "dXNlcjpwYXNzd29yZA==", ""],
  ["url-password", "psql postgres://ann:", "hunter2!", "@db:5432/x"],
  ["assignment", "mysql --password=", "hunter2!", " db"],
  ["assignment", "https://x.test/?user=a&access_token=", "abc.def-123", "&b=2"],
  ["assignment", "DB_PASSWORD=", "hunter2!", " node app.js"],
  ["assignment", '{"client_secret": "', "s3cr3t-value", '"}'],
  ["assignment", '{\\"client_secret\\": \\"', "s3cr3t-value", '\\"}'],
  ["assignment", '{\\\\\\"api_key\\\\\\":\\\\\\"', "s3cr3t-value", '\\\\\\"}'],
  ["password-flag", "login --password ", "hunter2!", " -v"],
];

const harmless: readonly string[] = [
  "the token is a word, and so is the secret of success",
  "sk-learn and scikit-learn-contrib-imbalanced-learn-package",
  "task-force-of-the-united-nations-1234567890123",
  "max_tokens=4096&tokenizer=cl100k",
  "the password: ask Ann",
  "bearer of bad news and good intentions",
  "https://example.test:8080/path@v2?x=1",
  "user@example.test, http://localhost:3000/@vite/client",
  "AKIA is a prefix; AKIAshort too",
  "-----BEGIN PUBLIC KEY-----\nMFkw\n-----END PUBLIC KEY-----",
  "eyJ is how they begin. eyJhbGciOi alone is nothing.",
  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  "0197a3f2-7e0c-7b3a-9c55-1d2e3f4a5b6c",
  "export TOKEN=$GITHUB_TOKEN; run --token $TOKEN",
  "const password = readPassword();",
  "npm_config_cache=/tmp/x npm_lifecycle_event=test",
];

describe("hideSecretsIn", () => {
  it.each(secrets)("hides a %s after %j", (shape, before, secret, after) => {
    const shown = hideSecretsIn(before + secret + after);
    expect(shown).not.toContain(secret);
    expect(shown.startsWith(before) && shown.endsWith(after)).toBe(true);
    expect(shown).toContain(`[redacted ${shape}]`);
  });

  it("has an example of every shape", () => {
    expect(secretShapes.map(({ name }) => name).filter((name) => !secrets.some(([shape]) => shape === name))).toEqual([]);
  });

  it.each(harmless)("leaves %j", (text) => {
    expect(hideSecretsIn(text)).toBe(text);
  });

  it("changes nothing the second time", () => {
    for (const [, before, secret, after] of secrets) {
      const once = hideSecretsIn(before + secret + after);
      expect(hideSecretsIn(once)).toBe(once);
    }
  });

  it("gets through long text made to be hard", { timeout: 20_000 }, () => {
    const starts = [
      "eyJ",
      "sk-",
      "-----BEGIN PRIVATE KEY-----",
      "ghp_",
      "Bearer ",
      "a://b:",
      "password",
      "a_",
      "a-",
      "--token ",
      "AIza",
      "SG.a",
      "-",
    ];
    for (const start of [...starts, "a", "eyJaaaaaaaaa.", "https://hooks.slack.com/services/", " ", "x:y@", "_token="])
      expect(hideSecretsIn(start.repeat(Math.ceil(1_000_000 / start.length))).length).toBeGreaterThan(0);
  });
});

describe("hideSecretText", () => {
  it("searches values, lists and keys, and keeps __proto__ as data", () => {
    const key = `ghp_${letters(36)}`;
    const data = JSON.parse(`{"a":["x ${key}"],"${key}":1,"__proto__":{"b":"${key}"},"m":{"${key}":[2]},"n":5,"z":null}`) as unknown;
    const hidden = "[redacted github-token]";
    expect(JSON.stringify(hideSecretText(data))).toBe(
      `{"a":["x ${hidden}"],"${hidden}":1,"__proto__":{"b":"${hidden}"},"m":{"${hidden}":[2]},"n":5,"z":null}`,
    );
    expect(JSON.stringify(hideSecretText(JSON.parse(`{"__proto__":"${key}"}`)))).toBe(`{"__proto__":"${hidden}"}`);
    expect(hideSecretText(key)).toBe(hidden);
  });
});
