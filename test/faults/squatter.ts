import { mkdirSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { dirname } from "node:path";

/** What it says to whoever comes by the line. */
export const LINE_MANNERS = {
  rubbish: (socket: Socket) => void socket.write("\x00\xffwelcome friend\n{]\n"),
  "200 to everything": (socket: Socket) => void socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok\n"),
  welcome: (socket: Socket) => void socket.write('{"type":"welcome","instance":"squatter","gates":[]}\n'),
  "a proof of its own": (socket: Socket) =>
    void socket.write(
      '{"type":"proof","v":1,"instance":"squatter","proof":"c3F1YXR0ZXI","nonce":"AAAAAAAAAAAAAAAAAAAAAA"}\n{"type":"ack","n":9}\n',
    ),
  echo: (socket: Socket, text: string) => void socket.write(text),
  silence: () => {},
};
export type Manner = keyof typeof LINE_MANNERS;

/** Somebody who sits in the hub's place, agrees to everything, and writes down all that it is told. */
export class Squatter implements AsyncDisposable {
  readonly heard = { line: "", http: "" };
  manner: Manner = "rubbish";
  port = 0;
  readonly #servers: Server[] = [];
  readonly #sockets = new Set<Socket>();

  static async sit(line: string, http: string): Promise<Squatter> {
    const squatter = new Squatter();
    mkdirSync(dirname(line), { recursive: true, mode: 0o700 });
    await squatter.#listen(
      createServer((socket) => squatter.#talk(socket)),
      line,
    );
    await squatter.#listen(squatter.#agreeable(), http);
    const address = (await squatter.#listen(squatter.#agreeable(), 0)).address() as AddressInfo;
    squatter.port = address.port;
    return squatter;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(this.#servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }

  #agreeable(): Server {
    return createHttpServer((request, response) => {
      this.heard.http += `${request.method} ${request.url}\n${request.rawHeaders.join("\n")}\n`;
      request.on("data", (chunk) => (this.heard.http += String(chunk)));
      response.end('{"status":"ok","proof":"yes","instance":"squatter","stored":1}');
    });
  }

  #talk(socket: Socket): void {
    socket.on("error", () => {});
    LINE_MANNERS[this.manner](socket, "");
    socket.on("data", (chunk) => {
      this.heard.line += String(chunk);
      LINE_MANNERS[this.manner](socket, String(chunk));
    });
  }

  #listen(server: Server, where: string | number): Promise<Server> {
    this.#servers.push(server);
    server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
    return new Promise((resolve, reject) => {
      server.on("error", reject);
      if (typeof where === "number") server.listen(where, "127.0.0.1", () => resolve(server));
      else server.listen(where, () => resolve(server));
    });
  }
}
