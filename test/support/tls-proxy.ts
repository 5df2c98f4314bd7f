import { type ChildProcess, spawn } from "node:child_process";
import { createHash, X509Certificate } from "node:crypto";
import { once } from "node:events";
import { request } from "node:https";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeCertificate } from "./certificate.ts";

interface Answered {
  readonly status: number;
  readonly text: string;
}

/** A reverse proxy in a process of its own, with a certificate that browsers started with `trust` take as any other. */
export interface TlsProxy {
  readonly origin: string;
  /** For `startBrowser`: the name leads to this machine, without a port to the proxy, and the proxy's key is trusted. */
  readonly trust: readonly string[];
  /** From now on it passes requests on to this port. */
  aim(port: number): Promise<void>;
  /** Sends a request through it: GET, or POST with a body. */
  send(path: string, options?: { readonly body?: object; readonly headers?: { readonly [name: string]: string } }): Promise<Answered>;
  close(): void;
}

export async function startTlsProxy(folder: string, name: string): Promise<TlsProxy> {
  const { cert, path } = makeCertificate(folder, [name]);
  const script = fileURLToPath(new URL("tls-proxy-process.ts", import.meta.url));
  const child: ChildProcess = spawn(process.execPath, [script, join(dirname(path), "key.pem"), path], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const line = async (): Promise<string> => String((await once(child.stdout as NodeJS.ReadableStream, "data"))[0]).trim();
  const port = await line();
  const spki = createHash("sha256")
    .update(new X509Certificate(cert).publicKey.export({ type: "spki", format: "der" }))
    .digest("base64");
  return {
    origin: `https://${name}:${port}`,
    trust: [
      `--host-resolver-rules=MAP ${name}:443 127.0.0.1:${port},MAP ${name} 127.0.0.1`,
      `--ignore-certificate-errors-spki-list=${spki}`,
    ],
    async aim(target) {
      child.stdin?.write(`${target}\n`);
      await line();
    },
    async send(path, { body, headers = {} } = {}) {
      const all = { host: `${name}:${port}`, ...(body !== undefined && { "content-type": "application/json" }), ...headers };
      const to = {
        host: "127.0.0.1",
        port,
        servername: name,
        ca: cert,
        path,
        method: body === undefined ? "GET" : "POST",
        headers: all,
        agent: false,
      };
      const outgoing = request(to);
      outgoing.end(body === undefined ? undefined : JSON.stringify(body));
      const [answer] = await once(outgoing, "response");
      let text = "";
      for await (const chunk of answer) text += chunk;
      return { status: answer.statusCode, text };
    },
    close: () => void child.kill(),
  };
}
