import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { testFolder } from "../../../../../test/support/test-folder.ts";
import { openWebPush } from "./web-push.js";

/** A push service, and the browser that its messages are for. */
async function startPushService() {
  const browser = createECDH("prime256v1");
  browser.generateKeys();
  const auth = randomBytes(16);
  const got: { readonly headers: IncomingHttpHeaders; readonly body: Buffer }[] = [];
  const state = { status: 201 };
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    got.push({ headers: incoming.headers, body: Buffer.concat(chunks) });
    outgoing.writeHead(state.status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const keys = { p256dh: browser.getPublicKey().toString("base64url"), auth: auth.toString("base64url") };
  /** As the browser does it, by RFC 8188 and RFC 8291. */
  function read(body: Buffer): unknown {
    const [salt, length] = [body.subarray(0, 16), body.readUInt8(20)];
    const [sender, sealed] = [body.subarray(21, 21 + length), body.subarray(21 + length)];
    const info = Buffer.concat([Buffer.from("WebPush: info\0"), browser.getPublicKey(), sender]);
    const derive = (secret: Buffer, with_: Buffer, about: Buffer, bytes: number) =>
      Buffer.from(hkdfSync("sha256", secret, with_, about, bytes));
    const secret = derive(browser.computeSecret(sender), auth, info, 32);
    const key = derive(secret, salt, Buffer.from("Content-Encoding: aes128gcm\0"), 16);
    const cipher = createDecipheriv("aes-128-gcm", key, derive(secret, salt, Buffer.from("Content-Encoding: nonce\0"), 12));
    cipher.setAuthTag(sealed.subarray(-16));
    const plain = Buffer.concat([cipher.update(sealed.subarray(0, -16)), cipher.final()]);
    expect(plain.at(-1)).toBe(2);
    return JSON.parse(plain.subarray(0, -1).toString("utf8"));
  }
  return { url, keys, got, state, read };
}

const rules = { allowPrivate: true, allowHttp: false };
const SECRET = "sk-live-4711";
const message = { title: `claude asks: Bash ${SECRET}`, text: SECRET, link: "https://hookline.test/#to.x", isUrgent: true };

it("tells the browser that a call waits and where, and nothing of the call; the push service can read neither", async () => {
  const service = await startPushService();
  const state = testFolder();
  const push = openWebPush({ state, origin: "https://hookline.test", onProblem: (text) => expect.fail(text), rules });
  let changes = 0;
  push.onChange(() => changes++);
  push.subscribe({ endpoint: `${service.url}/send/abc`, keys: service.keys });
  push.subscribe({ endpoint: `${service.url}/send/abc`, keys: service.keys });
  expect([push.count, changes]).toEqual([1, 1]);
  const again = openWebPush({ state, origin: "https://hookline.test", onProblem: () => {}, rules });
  expect([again.publicKey, again.count]).toEqual([push.publicKey, 1]);
  expect(await again.channel().send(message, AbortSignal.timeout(30_000))).toEqual({ status: "sent" });
  const [{ headers, body } = expect.fail("nothing arrived")] = service.got;
  expect(service.read(body)).toEqual({ title: "A call waits for your answer", text: "", link: "https://hookline.test/#to.x" });
  expect(headers).toMatchObject({ "content-encoding": "aes128gcm", urgency: "high", ttl: "540" });
  const [, head = "", claims = "", signature = "", key = ""] =
    /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), k=([\w-]+)$/.exec(headers.authorization ?? "") ?? [];
  expect(key).toBe(push.publicKey);
  expect(JSON.parse(Buffer.from(claims, "base64url").toString())).toMatchObject({ aud: service.url, sub: "https://hookline.test" });
  const point = Buffer.from(key, "base64url");
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString("base64url"));
  const publicKey = createPublicKey({ key: { kty: "EC", crv: "P-256", x: x ?? "", y: y ?? "" }, format: "jwk" });
  const isSigned = verify(
    "sha256",
    Buffer.from(`${head}.${claims}`),
    { key: publicKey, dsaEncoding: "ieee-p1363" },
    Buffer.from(signature, "base64url"),
  );
  expect(isSigned).toBe(true);
});

it("forgets a browser that no longer wants messages, and tries again when the service is in trouble", async () => {
  const service = await startPushService();
  const push = openWebPush({ state: testFolder(), origin: "https://hookline.test", onProblem: () => {}, rules });
  push.subscribe({ endpoint: `${service.url}/send/abc`, keys: service.keys });
  service.state.status = 503;
  expect(await push.channel().send(message, AbortSignal.timeout(30_000))).toMatchObject({ status: "retry" });
  expect(push.count).toBe(1);
  service.state.status = 410;
  expect(await push.channel().send(message, AbortSignal.timeout(30_000))).toMatchObject({ status: "failed" });
  expect(push.count).toBe(0);
});

it("sends to public https addresses only", async () => {
  const { keys } = await startPushService();
  const push = openWebPush({ state: testFolder(), origin: "https://hookline.test", onProblem: () => {} });
  for (const endpoint of ["http://push.example/x", "https://127.0.0.1/x", "https://10.0.0.1/x", "https://169.254.169.254/x", "ftp://a/x"])
    expect(() => push.subscribe({ endpoint, keys }), endpoint).toThrow("does not send");
  expect(() => push.subscribe({ endpoint: "https://push.example/x", keys: { ...keys, p256dh: "AAAA" } })).toThrow("does not send");
  push.subscribe({ endpoint: "https://push.example/x", keys });
  push.clear();
  expect(push.count).toBe(0);
});
