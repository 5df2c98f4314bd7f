import { rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";

/** What it answers. */
export type Manner = (response: ServerResponse) => void;

/** Listens where the hub did: on its socket, and on its port. */
export class Stranger implements AsyncDisposable {
  manner: Manner = plainly(500, "");
  /** How often it was asked. */
  asked = 0;
  readonly #servers = [createServer((...call) => this.#answer(...call)), createServer((...call) => this.#answer(...call))] as const;

  static async start(socket: string, port: number): Promise<Stranger> {
    const stranger = new Stranger();
    const [onSocket, onPort] = stranger.#servers;
    rmSync(socket, { force: true });
    await new Promise<void>((resolve) => onSocket.listen(socket, resolve));
    await new Promise<void>((resolve) => onPort.listen(port, "127.0.0.1", resolve));
    return stranger;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#servers.map(close));
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    this.asked++;
    request.resume();
    request.on("end", () => this.manner(response));
  }
}

export function plainly(status: number, body: string, type = "application/json"): Manner {
  return (response) => void response.writeHead(status, { "content-type": type }).end(body);
}

function close(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
