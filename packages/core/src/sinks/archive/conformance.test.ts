import { readdirSync, readFileSync, statSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { createArchiveSink, decodeEnvelope, type Envelope } from "@hookline/core/sinks";
import { sign } from "aws4";
import { parquetReadObjects } from "hyparquet";
import { describe, expect, it } from "vitest";
import { batchOf, idsOf } from "../../../../../test/conformance/envelopes.ts";
import { sinkConformance } from "../../../../../test/conformance/sink-conformance.ts";

const KEYS = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" };

sinkConformance("archive (folder)", async () => {
  const path = await mkdtemp(join(tmpdir(), "hookline-archive-"));
  return { sink: createArchiveSink({ path }), received: async () => eventsIn(path), dispose: () => rm(path, { recursive: true }) };
});

sinkConformance("archive (Parquet)", async () => {
  const path = await mkdtemp(join(tmpdir(), "hookline-archive-"));
  return {
    sink: createArchiveSink({ path, format: "parquet" }),
    received: () => rowsIn(path).then((rows) => rows.map(({ json }) => decodeEnvelope(String(json)))),
    dispose: () => rm(path, { recursive: true }),
  };
});

sinkConformance("archive (S3)", async () => {
  const service = await startS3();
  const sink = createArchiveSink({ endpoint: service.url, bucket: "events", prefix: "team a", region: "eu-central-1", ...KEYS });
  return {
    sink,
    received: async () => [...service.objects.values()].flatMap(linesIn),
    breakPeer: () => service.behave("broken"),
    healPeer: () => service.behave("well"),
    slowPeer: () => service.behave("slow"),
    dispose: service.close,
  };
});

describe("an archive", () => {
  const of = (session: string | undefined, count: number): Envelope[] =>
    batchOf(count).map((envelope) => ({
      ...envelope,
      at: "2026-11-18T10:20:30.000Z",
      ...(session !== undefined && { session: { id: session } }),
    }));
  const live = () => new AbortController().signal;
  const odd = "../../etc/passwd";

  it("sorts by day and session, replaces a batch that is sent again, and deletes one session alone, in a folder", async () => {
    const path = await mkdtemp(join(tmpdir(), "hookline-archive-"));
    const sink = createArchiveSink({ path });
    const batch = [...of("s-1", 3), ...of(odd, 2), ...of(undefined, 1)];
    for (const _ of [1, 2]) expect(await sink.send(batch, live())).toEqual({ status: "sent" });
    expect(readdirSync(path)).toEqual(["2026-11-18"]);
    expect(idsOf(eventsIn(path)).sort()).toEqual(idsOf(batch).sort());
    expect(statSync(join(path, "2026-11-18", "s-1")).mode & 0o077).toBe(0);
    expect(await sink.removeSession("s-1")).toBe(1);
    expect(await sink.removeSession(odd)).toBe(1);
    expect(idsOf(eventsIn(path))).toEqual(idsOf(batch.slice(5)));
    expect(await sink.removeSession("s-1")).toBe(0);
    await rm(path, { recursive: true });
  });

  it("writes Parquet with columns to filter by, and deletes one session alone there too", async () => {
    const path = await mkdtemp(join(tmpdir(), "hookline-archive-"));
    const sink = createArchiveSink({ path, format: "parquet" });
    const [denied] = of("s-1", 1) as [Envelope];
    const payload = { tool: { name: "Bash", input: { command: "rm -rf /" } } };
    const decision = {
      verdict: "deny",
      reason: "not here",
      by: "no-rm",
      durationMs: 1,
      trail: [],
      modified: false,
      endLoop: false,
    } as const;
    await sink.send([{ ...denied, event: "tool:before", payload, decision }, { ...denied, at: "no time" }, ...of(odd, 2)], live());
    const rows = await rowsIn(path);
    expect(rows).toHaveLength(4);
    expect(rows.find(({ verdict }) => verdict === "deny")).toMatchObject({
      at: new Date(denied.at),
      event: "tool:before",
      session: "s-1",
      tool: "Bash",
      reason: "not here",
      parent_session: null,
    });
    expect(rows.map(({ session }) => session).sort()).toEqual([odd, odd, "s-1", "s-1"]);
    expect(await sink.removeSession("s-1")).toBe(2);
    expect(await rowsIn(path)).toHaveLength(2);
    await rm(path, { recursive: true });
  });

  it("tries again while the folder cannot be written, and leaves no part of a file", async (context) => {
    if (process.getuid?.() === 0) return context.skip("root may write everywhere");
    const path = await mkdtemp(join(tmpdir(), "hookline-archive-"));
    const sink = createArchiveSink({ path });
    await chmod(path, 0o500);
    expect((await sink.send(of("s", 1), live())).status).toBe("retry");
    await chmod(path, 0o700);
    expect((await sink.send(of("s", 1), live())).status).toBe("sent");
    await rm(path, { recursive: true });
  });

  it("deletes one session alone in S3, however many files it has", async () => {
    const service = await startS3();
    const sink = createArchiveSink({ endpoint: service.url, bucket: "events", by: "hour", ...KEYS });
    for (let index = 0; index < 60; index++) await sink.send(of("s-1", 1), live());
    await sink.send(of("s-2", 2), live());
    expect([...service.objects.keys()].every((key) => key.startsWith("/events/2026-11-18T10/s-"))).toBe(true);
    expect(await sink.removeSession("s-1")).toBe(60);
    expect(await sink.removeSession("s-1")).toBe(0);
    expect([...service.objects.values()].flatMap(linesIn)).toHaveLength(2);
    await sink.close();
    await service.close();
  });

  it("refuses a metadata address, wrong keys and half the options, and repeats no secret", async () => {
    expect(() => createArchiveSink({ endpoint: "https://169.254.169.254", bucket: "b", ...KEYS })).toThrow("metadata");
    expect(() => createArchiveSink({ endpoint: "https://s3.example.com", bucket: "b" })).toThrow("secretAccessKey");
    const service = await startS3();
    const sink = createArchiveSink({ endpoint: service.url, bucket: "events", ...KEYS, secretAccessKey: "another-secret-key" });
    const result = await sink.send(of("s", 1), live());
    expect(String(Object(result).cause)).toMatch(/403 \(SignatureDoesNotMatch\)/);
    expect(JSON.stringify(result)).not.toContain("another-secret-key");
    await service.close();
  });
});

function linesIn(bytes: Buffer): Envelope[] {
  return gunzipSync(bytes).toString("utf8").trim().split("\n").map(decodeEnvelope);
}

async function rowsIn(folder: string): Promise<Record<string, unknown>[]> {
  const tables = filesIn(folder).map((path) => parquetReadObjects({ file: new Uint8Array(readFileSync(path)).buffer }));
  return (await Promise.all(tables)).flat();
}

function eventsIn(folder: string): Envelope[] {
  return filesIn(folder).flatMap((path) => linesIn(readFileSync(path)));
}

/** In the order in which they were written. */
function filesIn(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name));
  const written = (path: string) => statSync(path, { bigint: true }).mtimeNs;
  return paths.sort((a, b) => (written(a) < written(b) ? -1 : 1));
}

/** A service that keeps objects in memory, and takes only what another implementation signs in the same way. */
async function startS3() {
  const objects = new Map<string, Buffer>();
  const sockets = new Set<Socket>();
  let behaviour: "well" | "broken" | "slow" = "well";

  function isSigned({ method = "", url = "", headers }: IncomingMessage, body: Buffer): boolean {
    const [, region = ""] = /Credential=[^/]+\/\d+\/([^/]+)\//.exec(headers.authorization ?? "") ?? [];
    const signed = sign(
      {
        service: "s3",
        region,
        method,
        path: url,
        host: String(headers.host),
        body,
        headers: { "X-Amz-Date": String(headers["x-amz-date"]), "X-Amz-Content-Sha256": String(headers["x-amz-content-sha256"]) },
        extraHeadersToIgnore: { "content-length": true, "content-type": true },
      } as Parameters<typeof sign>[0],
      KEYS,
    );
    const signatureIn = (text: unknown) => /Signature=(\w+)/.exec(String(text))?.[1];
    return signatureIn(signed.headers?.Authorization) === signatureIn(headers.authorization);
  }

  function answer(request: IncomingMessage, body: Buffer, response: ServerResponse): void {
    const url = new URL(request.url ?? "", "http://s3");
    if (behaviour === "broken") return void response.writeHead(503).end("<Error><Code>SlowDown</Code></Error>");
    if (!isSigned(request, body)) return void response.writeHead(403).end("<Error><Code>SignatureDoesNotMatch</Code></Error>");
    if (request.method === "PUT") objects.set(url.pathname, body);
    if (request.method === "DELETE") objects.delete(url.pathname);
    response.end(request.method === "GET" ? listed(url) : "");
  }

  function listed({ pathname, searchParams }: URL): string {
    const prefix = searchParams.get("prefix") ?? "";
    const names = [...objects.keys()]
      .map((key) => decodeURIComponent(key.slice(pathname.length + 1)))
      .filter((name) => name.startsWith(prefix))
      .sort();
    const max = Number(searchParams.get("max-keys"));
    if (searchParams.get("delimiter") === null)
      return `<List><IsTruncated>${names.length > max}</IsTruncated>${names
        .slice(0, max)
        .map((name) => `<Contents><Key>${name}</Key></Contents>`)
        .join("")}</List>`;
    const folders = new Set(names.map((name) => `${prefix}${name.slice(prefix.length).split("/")[0]}/`));
    return `<List><IsTruncated>false</IsTruncated>${[...folders].map((folder) => `<CommonPrefixes><Prefix>${folder}</Prefix></CommonPrefixes>`).join("")}</List>`;
  }

  const server = createServer(async (request, response) => {
    if (behaviour === "slow") return;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    answer(request, Buffer.concat(chunks), response);
  });
  server.on("connection", (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    behave(next: typeof behaviour) {
      behaviour = next;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
