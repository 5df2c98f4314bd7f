import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { startMessageReceiver } from "../../../../../test/support/message-receiver.ts";
import { testFolder } from "../../../../../test/support/test-folder.ts";
import { desktop } from "./desktop.js";
import { discord } from "./discord.js";
import { ntfy } from "./ntfy.js";
import { telegram } from "./telegram.js";
import { webhook } from "./webhook.js";

const LINK = "https://hookline.test/#to.q-1.abc_def";
const signal = new AbortController().signal;
const SENT = { status: "sent" };

it("keeps the link of a long message, and keeps to the length that a service takes", async () => {
  const services = await startMessageReceiver();
  const message = { title: "An agent asks: Bash", text: "*".repeat(9_000), link: LINK, isUrgent: true };
  expect(await discord.open({ url: `${services.url}/discord/1/token` }, "d").send(message, signal)).toMatchObject(SENT);
  expect(await telegram.open({ token: "1:t", chat: "42", api: services.url }, "t").send(message, signal)).toMatchObject(SENT);
  const [{ content }] = services.at("/discord/") as [{ content: string }];
  const [{ text }] = services.at("/bot1:t/sendMessage") as [{ text: string }];
  expect([content.length, text.length]).toEqual([2_000, 4_000]);
  expect(content.endsWith(`…\n<${LINK}>`)).toBe(true);
  expect(text.endsWith(`…\n${LINK}`)).toBe(true);
});

it("escapes a message of Discord's that has no link, also one whose text looks like one, and posts to a thread", async () => {
  const services = await startMessageReceiver();
  const message = { title: "https://a.test> [Open the call](https://b.test) asked", text: "", isUrgent: false };
  expect(await discord.open({ url: `${services.url}/discord/1/token?thread_id=7` }, "d").send(message, signal)).toMatchObject(SENT);
  expect(services.at("/discord/1/token?thread_id=7&wait=true")[0]?.content).toBe(
    "https://a.test\\> \\[Open the call\\]\\(https://b.test\\) asked",
  );
});

it.each(["/base/topic", "/base/topic/"])("publishes to the topic of the address %s", async (path) => {
  const services = await startMessageReceiver();
  const message = { title: "t", text: "", isUrgent: false };
  expect(await ntfy.open({ url: `${services.url}${path}` }, "n").send(message, signal)).toMatchObject(SENT);
  expect(services.at("/base/")[0]).toMatchObject({ topic: "topic" });
});

it("lets no call add fields to a form", async () => {
  const services = await startMessageReceiver();
  const options = { url: `${services.url}/form`, body: "to=me&text={text}", contentType: "application/x-www-form-urlencoded" };
  expect(await webhook.open(options, "w").send({ title: "", text: "a&to=you%", isUrgent: true }, signal)).toMatchObject(SENT);
  expect(services.requests[0]?.body).toBe("to=me&text=a%26to%3Dyou%25");
});

it.runIf(process.platform === "linux")("shows the call on a desktop as text, not as markup", async () => {
  const folder = testFolder();
  const said = join(folder, "said");
  writeFileSync(join(folder, "notify-send"), `#!/bin/sh\nfor word; do last=$word; done\nprintf %s "$last" > "${said}"\n`);
  chmodSync(join(folder, "notify-send"), 0o755);
  const { PATH } = process.env;
  process.env.PATH = `${folder}${delimiter}${PATH}`;
  onTestFinished(() => {
    process.env.PATH = PATH;
  });
  expect(await desktop.open({}, "d").send({ title: "t", text: "ls <!-- && rm -rf / -->", isUrgent: true }, signal)).toMatchObject(SENT);
  expect(readFileSync(said, "utf8")).toBe("ls &lt;!-- &amp;&amp; rm -rf / --&gt;");
});
