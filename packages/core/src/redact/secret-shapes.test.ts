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
  ["putty-key", "key: ", `PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 1\nAAAA\nPrivate-MAC: ${"a1".repeat(20)}`, " end"],
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
  ["authorization", "Authorization: Basic ", "YTpi", ""],
  ["authorization", '{"Authorization":"Basic ', "dTpwdw==", '"}'],
  ["authorization", "Proxy-Authorization=Basic ", "YW5uOnBhc3M=", "\n"],
  ["authorization", "curl -H 'authorization: Bearer ", "abc-1234", "' x"],
  ["url-password", "psql postgres://ann:", "hunter2!", "@db:5432/x"],
  ["assignment", "mysql --password=", "hunter2!", " db"],
  ["assignment", "https://x.test/?user=a&access_token=", "abc.def-123", "&b=2"],
  ["assignment", "DB_PASSWORD=", "hunter2!", " node app.js"],
  ["assignment", '{"client_secret": "', "s3cr3t-value", '"}'],
  ["assignment", '{\\"client_secret\\": \\"', "s3cr3t-value", '\\"}'],
  ["assignment", '{\\\\\\"api_key\\\\\\":\\\\\\"', "s3cr3t-value", '\\\\\\"}'],
  ["vendor-token", "docker login -p ", `dckr_pat_${letters(27)}`, ""],
  ["vendor-token", "", `sbp_${"0123456789abcdef".repeat(2)}`, ""],
  ["vendor-token", "", `secret_${letters(43)}`, ""],
  ["vendor-token", "", `LTAI5t${letters(18)}`, ""],
  ["vendor-token", "mailgun ", `key-${"0123456789abcdef".repeat(2)}`, ""],
  ["vendor-token", "", `${letters(14)}.atlasv1.${letters(60)}`, ""],
  ["vendor-token", "", `pul-${"0123456789abcdef".repeat(3).slice(0, 40)}`, ""],
  ["password-hash", "root:", `$6$${letters(16)}$${letters(86)}`, ":19000:0:99999:7:::"],
  ["password-hash", "htpasswd ann:", `$2y$10$${letters(53)}`, "\n"],
  ["assignment", "PGPASSWORD=", "hunter2!", " psql -h db"],
  ["assignment", '{"clientSecret":"', "s3cr3t-value", '"}'],
  ["url-signature", "https://b.s3.amazonaws.com/k?X-Amz-Date=1&X-Amz-Signature=", "0123456789abcdef".repeat(4), "&x=1"],
  ["command-password", "docker login registry.test -u ann -p ", "hunter2!", " && make"],
  ["command-password", "az login --service-principal --password=", "hunter2!", ""],
  ["vendor-token", "", `NRAK-${upper(27)}`, ""],
  ["hookline-token", "curl -H x:", `hlk_${letters(43)}`, " end"],
  ["twilio-key", "", `SK${"0123456789abcdef".repeat(2)}`, " x"],
  ["telegram-token", "https://api.telegram.org/bot/", `123456789:AA${letters(33)}`, "/getMe"],
  ["discord-token", 'client.login("', `MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.${letters(38)}`, '")'],
  ["azure-key", "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=", `${letters(86)}==`, ";EndpointSuffix=core"],
  ["azure-key", "Endpoint=sb://x/;SharedAccessKey=", `${letters(43)}=`, ""],
  ["azure-key", "", `Ab18Q~${letters(34)}`, ""],
  ["url-signature", "https://a.blob.test/c?sv=2022-11-02&sp=r&sig=", `${letters(40)}%3D`, "&se=1"],
  ["secret-header", "X-Api-Key: ", "hunterTwo", "\nAccept: x"],
  ["secret-header", "curl -H 'PRIVATE-TOKEN: ", "hunter2!", "' https://git.test"],
  ["cookie", "GET / HTTP/1.1\nCookie: theme=", "dark; sid=abcdef", "\nHost: x"],
  ["cookie", "< set-cookie: sid=", "s3cr3t-value; Path=/; HttpOnly", "\r\n"],
  ["docker-auth", '{"auths":{"r.test":{"auth": "', "dXNlcjpwYXNz", '"}}}'],
  ["kube-key", "    client-key-data: ", `${letters(60)}==`, "\n"],
  ["wireguard-key", "[Interface]\nPrivateKey = ", `${letters(43)}=`, "\n"],
  ["netrc-password", "machine api.test login ann password ", "hunter2!", "\n"],
  ["netrc-password", "machine api.test\n  login ann\n  password ", "swordfish", ""],
  ["command-password", "curl -s -X POST -u ann:", "hunter2!", " https://x.test"],
  ["command-password", "curl --user 'ann:", "hunter2!", "' https://x.test"],
  ["command-password", "mysql -h db -u root -p", "hunter2!", " shop"],
  ["command-password", "mysqldump -p'", "hunter2!", "' shop"],
  ["command-password", "sshpass -p ", "hunter2!", " ssh x"],
  ["command-password", "redis-cli -h cache -a ", "hunter2!", " ping"],
  ["yaml-password", "db:\n  user: ann\n  password: ", "swordfish", "\n  port: 1"],
  ["yaml-password", "spring.datasource.password: ", "v", ""],
  ["yaml-password", '  db_password: "', "correct horse, it''s", '"\n  port: 1'],
  ["yaml-password", "- password: '", "it''s a \"secret\"", "'\n"],
  ["yaml-password", "text: 'a:\\n  dbPassword: \\\"", "hunter two", "\\\"\\n'"],
  ["yaml-password", "  password: ", "p@ss,w$rd", " # of the test"],
  ["yaml-password", "password: !!str ", "12345", ""],
  ["yaml-password", "db:\n  password: |\n    ", 'hunter2 "and"\n\n      more\n    three', "\n  port: 1"],
  ["yaml-password", "- password: >-\r\n    ", "hunter2\r\n    two", "\r\n  port: 1"],
  ["yaml-password", "{\\n  password: |\\n    ", "hunter2\\n    two", "\\n  port: 1"],
  ["yaml-secret", "auth:\n  api_key: ", "abcd1234efgh", "\n"],
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
  "docker run -u 1000:1000 -p 8080:80 image; date -u +%H:%M:%S; ssh -p 2222 host",
  "docker login && docker run -p 8080:80 image; echo $6$; mkdir -p $2/a",
  "mkdir -p /a/b && mysql --help; mysql -u root shop < dump.sql; mysql -P 3306",
  "interface Options {\n  password: string\n  token: string\n  password: options.password,\n}",
  "Authorization: Basic authentication, or Authorization: Bearer <token>",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a template of YAML.
  'password: "${DB_PASSWORD}"\npwd: "<yours>"\npassword: ""',
  "password: |\n  {{ .Values.password }}\nport: 1",
  "password: |\nport: 1",
  "password: !vault |\n  $ANSIBLE_VAULT;1.1;AES256",
  "cookie: see RFC 6265; cookies: 3 of them; Cookie policy: accept",
  "login page asks for a password field",
  "x-api-key: $API_KEY, X-Api-Key: <your key>",
  "curl -u $USER:$PASS https://x.test; curl https://x.test:8080/a",
  "version 1.234567.8 of a.bcdefg.h, and 192.168.10.20",
  "?sig=short&signature=none",
  "tokens:\n  token: Identifier\n  secret: optional",
  "git push -u origin feature:main",
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

  it("gets through long text made to be hard", () => {
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
    for (const start of [
      ...starts,
      "a",
      "eyJaaaaaaaaa.",
      "https://hooks.slack.com/services/",
      " ",
      "x:y@",
      "_token=",
      "$6$",
      "docker login -p ",
      "Authorization: Basic ",
      'password: "',
      "password: |\n ",
      "password: |\n\n",
      "a_".repeat(9),
      " password: >\\n  ",
    ])
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
