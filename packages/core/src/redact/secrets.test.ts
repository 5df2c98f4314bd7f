import { describe, expect, it } from "vitest";
import { hideSecrets, isSecretName } from "./secrets.js";

const hidden = { $hookline: "redacted" };
const hide = (value: unknown): unknown => {
  hideSecrets(value);
  return value;
};

describe("isSecretName", () => {
  it.each([
    "password",
    "PASSWORD",
    "userPassword",
    "db_passwd",
    "pwd",
    "pass",
    "passphrase",
    "secret",
    "client_secret",
    "clientSecretValue",
    "token",
    "accessToken",
    "GITHUB_TOKEN",
    "id-token",
    "api_key",
    "apiKey",
    "X-API-Key",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_ACCESS_KEY_ID",
    "privateKey",
    "SSH_KEY",
    "authorization",
    "Proxy-Authorization",
    "auth",
    "_auth",
    "_authToken",
    "cookie",
    "Set-Cookie",
    "cookies",
    "credentials",
    "bearer",
    "jwt",
    "signing_key",
    "encryptionKey",
  ])("%s is one", (name) => {
    expect(isSecretName(name)).toBe(true);
  });

  it.each([
    "tokens",
    "maxTokens",
    "input_tokens",
    "tokenizer",
    "tokenCount",
    "author",
    "authority",
    "secretary",
    "key",
    "keyboard",
    "publicKey",
    "path",
    "passed",
    "passthrough",
    "session",
    "id",
    "callId",
    "command",
    "",
    "__proto__",
    "compass",
  ])("%s is not one", (name) => {
    expect(isSecretName(name)).toBe(false);
  });
});

describe("hideSecrets", () => {
  it("hides what stands under such a name, whatever it is and however deep", () => {
    expect(hide({ a: [{ token: "t" }], password: 5, secret: { x: 1 }, cookie: ["c"] })).toEqual({
      a: [{ token: hidden }],
      password: hidden,
      secret: hidden,
      cookie: hidden,
    });
  });

  it("leaves what gives nothing away", () => {
    const value = { token: null, hasSecret: true, password: "", usage: { inputTokens: 5 } };
    expect(hide(structuredClone(value))).toEqual(value);
  });

  it("knows pairs, named values and flags", () => {
    expect(
      hide([
        ["authorization", "b"],
        ["accept", "*"],
      ]),
    ).toEqual([
      ["authorization", hidden],
      ["accept", "*"],
    ]);
    expect(
      hide([
        { name: "Authorization", value: "b" },
        { key: "HOME", value: "/" },
      ]),
    ).toEqual([
      { name: "Authorization", value: hidden },
      { key: "HOME", value: "/" },
    ]);
    expect(hide(["curl", "--token", "t", "-v", "token", "is", "a", "word"])).toEqual([
      "curl",
      "--token",
      hidden,
      "-v",
      "token",
      "is",
      "a",
      "word",
    ]);
  });
});
