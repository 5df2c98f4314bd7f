// A reverse proxy with TLS, as a process: `node tls-proxy-process.ts <key file> <certificate file>`. It prints its port, reads the hub's port
// from its input, and passes requests on with their Host header. As proxies do, it adds who asked.
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";

const [, , key = "", cert = ""] = process.argv;
let target = 0;
process.stdin.on("data", (chunk) => {
  target = Number(String(chunk).trim());
  process.stdout.write("ready\n");
});
const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (incoming, outgoing) => {
  const headers = { ...incoming.headers, "x-forwarded-for": incoming.socket.remoteAddress, "x-forwarded-proto": "https" };
  const { method, url: path } = incoming;
  const onward = request({ host: "127.0.0.1", port: target, method, path, headers, agent: false }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  onward.on("error", () => outgoing.destroy());
  outgoing.on("close", () => onward.destroy());
  incoming.pipe(onward);
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
