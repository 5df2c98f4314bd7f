import { expect, it } from "vitest";
import { describeConfig } from "./describe-config.js";
import { parseConfig } from "./load-config.js";

const TEXT = `
[[sink]]
type = "archive"
endpoint = "https://user:canary-1@s3.example.com"
bucket = "events"
accessKeyId = "canary-2"
secretAccessKey = "canary-3"
sessionToken = { env = "S3_TOKEN" }

[[sink]]
type = "otlp"
headers = { authorization = "canary-4" }

[[notify]]
type = "email"
host = "mail.example.com"
user = "me"
password = "canary-5"
`;

it("hides every option that may be a secret, and says where it comes from", () => {
  const rows = describeConfig(TEXT, "hookline.toml");
  expect(JSON.stringify(rows)).not.toContain("canary");
  const shown = Object.fromEntries(rows.map(({ key, value }) => [key, value]));
  expect(shown).toMatchObject({
    "sink[0].bucket": '"events"',
    "sink[0].accessKeyId": '"(hidden)"',
    "sink[0].sessionToken.env": '"S3_TOKEN"',
    "notify[0].user": '"me"',
    "notify[0].password": '"(hidden)"',
  });
});

it("quotes none of them in a message about a wrong value", async () => {
  const wrong = [
    '[[notify]]\ntype = "email"\nhost = "h"\nfrom = "a@b.c"\nto = "a@b.c"\nuser = "me"\npassword = 12345678',
    '[[notify]]\ntype = "telegram"\nchat = "1"\ntoken = 12345678',
    '[[sink]]\ntype = "archive"\naccessKeyId = 12345678',
  ];
  for (const text of wrong) {
    const { problems } = await parseConfig(text, "/tmp/hookline.toml");
    expect(problems).toHaveLength(1);
    expect(problems[0]?.message).not.toContain("1234");
  }
});
