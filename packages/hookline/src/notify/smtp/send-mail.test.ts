import type { AddressInfo } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { SMTPServer } from "smtp-server";
import { expect, it, onTestFinished } from "vitest";
import { makeCertificate } from "../../../../../test/support/certificate.ts";
import { testFolder } from "../../../../../test/support/test-folder.ts";
import { email } from "../targets/email.js";

const MESSAGE = { title: "Größe: ein Agent fragt", text: "rm -rf build\n.\nQUIT\n..dots", isUrgent: true, link: "https://example.com/#x" };
const PASSWORD = "hunter2-hunter2";

interface Letter {
  readonly from: string;
  readonly to: readonly string[];
  readonly text: string;
  readonly isSecure: boolean;
  readonly user: string | undefined;
}

/** A mail server of another author, which takes one account. */
async function startMailServer(options: ConstructorParameters<typeof SMTPServer>[0]) {
  const letters: Letter[] = [];
  const server = new SMTPServer({
    ...options,
    onAuth: ({ username, password }, _, done) =>
      username === "ada" && password === PASSWORD ? done(null, { user: username }) : done(new Error("no such account")),
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope;
        letters.push({
          from: mailFrom === false ? "" : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          text: Buffer.concat(chunks).toString("utf8"),
          isSecure: session.secure,
          user: session.user as string | undefined,
        });
        done();
      });
    },
  });
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return { letters, port: (server.server.address() as AddressInfo).port };
}

function trust(cert: string): void {
  const before = getCACertificates("default");
  setDefaultCACertificates([...before, cert]);
  onTestFinished(() => setDefaultCACertificates(before));
}

const ADDRESSES = { from: "hub@example.com", to: "ada@example.com" };
const live = () => new AbortController().signal;

function decoded(text: string): { readonly subject: string; readonly body: string } {
  const [head = "", body = ""] = text.split("\r\n\r\n");
  const words = [...head.matchAll(/=\?utf-8\?B\?([^?]+)\?=/g)].map(([, word = ""]) => Buffer.from(word, "base64").toString("utf8"));
  return { subject: words.join(""), body: Buffer.from(body, "base64").toString("utf8") };
}

it.each(["PLAIN", "LOGIN"])("sends a mail after STARTTLS with AUTH %s, whole and unchanged", async (method) => {
  const { key, cert } = makeCertificate(testFolder(), ["localhost"]);
  trust(cert);
  const { port, letters } = await startMailServer({ key, cert, authMethods: [method] });
  const channel = email.open({ host: "localhost", port, user: "ada", password: PASSWORD, ...ADDRESSES }, "mail");
  expect(await channel.send(MESSAGE, live())).toEqual({ status: "sent" });
  expect(letters).toMatchObject([{ from: "hub@example.com", to: ["ada@example.com"], isSecure: true, user: "ada" }]);
  expect(decoded(letters[0]?.text ?? "")).toEqual({
    subject: MESSAGE.title,
    body: `${MESSAGE.title}\n${MESSAGE.text}\n${MESSAGE.link}`,
  });
});

it("sends over TLS from the first byte", async () => {
  const { key, cert } = makeCertificate(testFolder(), ["localhost"]);
  trust(cert);
  const { port, letters } = await startMailServer({ key, cert, secure: true, authOptional: true });
  const channel = email.open({ host: "localhost", port, tls: "always", ...ADDRESSES }, "mail");
  expect(await channel.send(MESSAGE, live())).toEqual({ status: "sent" });
  expect(letters).toHaveLength(1);
});

it("sends nothing to a server whose certificate is not trusted, or that offers no TLS, and never repeats the password", async () => {
  const { key, cert } = makeCertificate(testFolder(), ["localhost"]);
  const untrusted = await startMailServer({ key, cert });
  const bare = await startMailServer({ disabledCommands: ["STARTTLS"], authOptional: true });
  const options = { host: "localhost", user: "ada", password: PASSWORD, ...ADDRESSES };
  const results = await Promise.all([untrusted, bare].map(({ port }) => email.open({ ...options, port }, "mail").send(MESSAGE, live())));
  expect(results.map(({ status }) => status)).toEqual(["retry", "failed"]);
  expect([...untrusted.letters, ...bare.letters]).toEqual([]);
  trust(cert);
  const wrong = await email.open({ ...options, port: untrusted.port, password: "wrong-password" }, "mail").send(MESSAGE, live());
  expect(wrong).toMatchObject({ status: "failed" });
  expect(String(Object(wrong).cause)).not.toContain("wrong-password");
});

it("does not dial link-local addresses, nor other machines without TLS", async () => {
  const metadata = email.open({ host: "169.254.169.254", ...ADDRESSES }, "mail");
  expect(Object(await metadata.send(MESSAGE, live())).cause?.message).toContain("metadata");
  const plain = email.open({ host: "192.0.2.1", tls: "never", ...ADDRESSES }, "mail");
  expect(Object(await plain.send(MESSAGE, live())).cause?.message).toContain("plain http");
});

it("refuses addresses that would add lines to the conversation", () => {
  expect(() => email.open({ host: "localhost", from: "a@b>\r\nRCPT TO:<x@y", to: "a@b" }, "mail")).toThrow("mail address");
});
