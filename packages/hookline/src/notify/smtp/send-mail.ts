import { lookup } from "node:dns";
import { connect as connectPlain, isIP, type Socket } from "node:net";
import { hostname } from "node:os";
import { connect as connectSecure } from "node:tls";
import { guardLookup, parseTarget } from "@hookline/core/internal/sinks";
import { SmtpReplies } from "./smtp-replies.js";

export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  readonly tls: "starttls" | "always" | "never";
  readonly user?: string;
  readonly password?: string;
}

interface Mail {
  readonly from: string;
  readonly to: string;
  readonly text: string;
}

/** The server answered with a refusal. A 5xx is final. */
export class SmtpRefused extends Error {
  readonly isFinal: boolean;

  constructor(message: string, isFinal: boolean) {
    super(message);
    this.isFinal = isFinal;
  }
}

const TIMEOUT_MS = 20_000;

/** One mail over one connection. Rejects with `SmtpRefused`, or with what went wrong on the way. Credentials go over TLS, or to this machine. */
export async function sendMail(server: SmtpServer, mail: Mail, signal: AbortSignal): Promise<void> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const socket = await open(server, limit);
  const talk = new Conversation(socket, server, limit);
  try {
    await talk.greet();
    if (server.tls === "starttls") await talk.startTls();
    await talk.logIn();
    await talk.deliver(mail);
  } finally {
    talk.end();
  }
}

class Conversation {
  readonly #server: SmtpServer;
  readonly #signal: AbortSignal;
  #socket: Socket;
  #replies: SmtpReplies;
  #features = "";

  constructor(socket: Socket, server: SmtpServer, signal: AbortSignal) {
    this.#server = server;
    this.#signal = signal;
    this.#socket = socket;
    this.#replies = new SmtpReplies(socket, signal);
  }

  async greet(): Promise<void> {
    await this.#expect(2);
    await this.#hello();
  }

  async #hello(): Promise<void> {
    this.#features = await this.#say(`EHLO ${helloName()}`, 2);
  }

  async startTls(): Promise<void> {
    if (!/^STARTTLS$/im.test(this.#features))
      throw new SmtpRefused('it does not offer STARTTLS; set tls = "always" if it is encrypted', true);
    await this.#say("STARTTLS", 2);
    // What the server sent before is dropped with the old reader: it was not protected.
    this.#replies.stop();
    this.#socket = await secured(this.#socket, this.#server.host, this.#signal);
    this.#replies = new SmtpReplies(this.#socket, this.#signal);
    await this.#hello();
  }

  async logIn(): Promise<void> {
    const { user, password = "" } = this.#server;
    if (user === undefined) return;
    const offered = /^AUTH[ =](.*)$/im.exec(this.#features)?.[1]?.toUpperCase() ?? "";
    if (offered.includes("PLAIN")) return void (await this.#say(`AUTH PLAIN ${base64(`\0${user}\0${password}`)}`, 2));
    if (!offered.includes("LOGIN")) throw new SmtpRefused("it offers neither AUTH PLAIN nor AUTH LOGIN", true);
    await this.#say("AUTH LOGIN", 3);
    await this.#say(base64(user), 3);
    await this.#say(base64(password), 2);
  }

  async deliver({ from, to, text }: Mail): Promise<void> {
    await this.#say(`MAIL FROM:<${from}>`, 2);
    await this.#say(`RCPT TO:<${to}>`, 2);
    await this.#say("DATA", 3);
    await this.#say(`${text.replace(/^\./gm, "..")}\r\n.`, 2);
  }

  end(): void {
    if (!this.#socket.destroyed) this.#socket.end("QUIT\r\n");
    setTimeout(() => this.#socket.destroy(), 1_000).unref();
  }

  /** Never quotes what was said: it may be a password. */
  async #say(line: string, wanted: number): Promise<string> {
    this.#socket.write(`${line}\r\n`);
    return this.#expect(wanted);
  }

  async #expect(wanted: number): Promise<string> {
    const { code, text } = await this.#replies.next();
    if (Math.floor(code / 100) === wanted) return text;
    throw new SmtpRefused(`it answered ${code} ${text.split("\n", 1)[0]?.slice(0, 200) ?? ""}`, code >= 500);
  }
}

/** As for webhooks, link-local and metadata addresses are never dialled. Without TLS, only this machine is. */
async function open({ host, port, tls }: SmtpServer, signal: AbortSignal): Promise<Socket> {
  const name = isIP(host) === 6 ? `[${host}]` : host;
  const { policy } = parseTarget(`${tls === "never" ? "http" : "https"}://${name}/`, { allowPrivate: true, allowHttp: false });
  const options = { host, port, lookup: guardLookup(lookup, policy), signal };
  const socket = connectPlain(options);
  await once(socket, "connect", signal);
  return tls === "always" ? secured(socket, host, signal) : socket;
}

async function secured(socket: Socket, host: string, signal: AbortSignal): Promise<Socket> {
  const safe = connectSecure({ socket, ...(isIP(host) === 0 && { servername: host }), host });
  await once(safe, "secureConnect", signal);
  return safe;
}

function once(socket: Socket, event: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => {
      socket.destroy();
      reject(error);
    };
    const onAbort = (): void => fail(new Error("it took too long"));
    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    socket.once("error", fail);
    socket.once(event, () => {
      signal.removeEventListener("abort", onAbort);
      socket.off("error", fail);
      resolve();
    });
  });
}

function base64(text: string): string {
  return Buffer.from(text, "utf8").toString("base64");
}

function helloName(): string {
  const name = hostname();
  return /^[\w.-]{1,200}$/.test(name) ? name : "[127.0.0.1]";
}
