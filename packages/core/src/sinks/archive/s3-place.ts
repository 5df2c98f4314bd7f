import { lookup } from "node:dns";
import { HookError } from "../../catalog/errors.js";
import { guardLookup } from "../webhook/guarded-lookup.js";
import { type Answer, createPoster } from "../webhook/post.js";
import { parseTarget } from "../webhook/target.js";
import { isPeriod } from "./archive-names.js";
import type { ArchivePlace } from "./archive-place.js";
import { encoded, type S3Keys, signRequest } from "./sign-request.js";

export interface S3Options extends S3Keys {
  /** The address of the service, without the bucket. */
  readonly endpoint: string;
  readonly bucket: string;
  readonly prefix: string;
}

const TIMEOUT_MS = 20_000;
/** As many names as fit into the part of an answer that is read. */
const PAGE = 50;
const NO_BODY = Buffer.alloc(0);

/** S3, or a service that speaks its language. The bucket is a part of the path, which every such service accepts. */
export function createS3Place({ endpoint, bucket, prefix, ...keys }: S3Options): ArchivePlace {
  const target = parseTarget(endpoint, { allowPrivate: true, allowHttp: false });
  const poster = createPoster({ url: target.url, lookup: guardLookup(lookup, target.policy), timeoutMs: TIMEOUT_MS });
  const base = `${target.url.pathname.replace(/\/$/, "")}/${encoded(bucket)}`;
  const root = prefix === "" ? "" : `${prefix.replace(/^\/|\/$/g, "")}/`;

  async function call(
    method: "PUT" | "GET" | "DELETE",
    where: { readonly key?: string; readonly query?: { readonly [name: string]: string }; readonly body?: Buffer },
    signal: AbortSignal,
  ): Promise<Answer> {
    const { key, query: parameters = {}, body = NO_BODY } = where;
    const path = key === undefined ? base : `${base}/${key.split("/").map(encoded).join("/")}`;
    const query = Object.entries(parameters)
      .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
      .sort()
      .join("&");
    const headers = signRequest({ method, host: target.url.host, path, query, body }, keys, new Date());
    const answer = await poster.post({ method, target: query === "" ? path : `${path}?${query}`, headers, body }, signal);
    if (answer.status >= 200 && answer.status < 300) return answer;
    throw refused(answer, target.label);
  }

  async function list(folder: string, delimiter: string, signal: AbortSignal): Promise<string> {
    const query = { "list-type": "2", prefix: `${root}${folder}`, "max-keys": String(PAGE), ...(delimiter !== "" && { delimiter }) };
    return (await call("GET", { query }, signal)).body.toString("utf8");
  }

  return {
    async put(name, bytes, signal) {
      await call("PUT", { key: `${root}${name}`, body: bytes }, signal);
    },
    async periods(signal) {
      const found: string[] = [];
      for (let after = ""; ; ) {
        const query = {
          "list-type": "2",
          prefix: root,
          delimiter: "/",
          "max-keys": String(PAGE),
          ...(after !== "" && { "start-after": after }),
        };
        const text = (await call("GET", { query }, signal)).body.toString("utf8");
        const folders = textsOf("CommonPrefixes", text).flatMap((part) => textsOf("Prefix", part));
        found.push(...folders.map((folder) => folder.slice(root.length).replace(/\/$/, "")).filter(isPeriod));
        const last = folders.at(-1);
        if (last === undefined || !/<IsTruncated>true</.test(text)) return [...new Set(found)];
        // After everything in the last folder.
        after = `${last.replace(/\/$/, "")}0`;
      }
    },
    async removeFolder(folder, signal) {
      for (let removed = 0; ; ) {
        // What is listed is removed, so the next list begins with the rest.
        const names = textsOf("Contents", await list(`${folder}/`, "", signal)).flatMap((part) => textsOf("Key", part));
        if (names.length === 0) return removed;
        for (const key of names) await call("DELETE", { key }, signal);
        removed += names.length;
      }
    },
    close: () => poster.destroy(),
  };
}

function refused({ status, body }: Answer, label: string): HookError {
  const [code = ""] = textsOf("Code", body.toString("utf8"));
  const why = /^\w{1,60}$/.test(code) ? ` (${code})` : "";
  return new HookError("HL_WEBHOOK_ANSWER", `The archive at ${label} answered ${status}${why}.`);
}

/** The texts of an element in the XML of a list. */
function textsOf(element: string, xml: string): string[] {
  return [...xml.matchAll(new RegExp(`<${element}>(.*?)</${element}>`, "gs"))].map(([, text = ""]) =>
    text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&amp;", "&"),
  );
}
