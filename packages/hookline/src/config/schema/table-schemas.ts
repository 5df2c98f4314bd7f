import { isIP } from "node:net";
import { z } from "zod";
import { age, patience, storeSize } from "./amounts.js";
import { filePath, pathPatterns, redactPaths, signerKeys } from "./values.js";

const ORIGIN = 'must be an https address without a path, such as "https://hookline.example.com"';
/** Headers that the hub itself reads. */
const OWN_HEADERS = /^(host|origin|cookie|authorization|content-.*|sec-.*|hookline-.*|connection|transfer-encoding)$/i;

function isLoopback(address: string): boolean {
  return /^(::ffff:)?127\.|^::1$/i.test(address);
}

const PORT = "must be a port: a whole number from 0 to 65535";

/** Passkeys need a name, so an address of numbers is not enough; and the names of this machine are the dashboard's own. */
function isPublicOrigin(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "https:" || url.origin !== text) return false;
  return isIP(url.hostname) === 0 && !url.hostname.startsWith("[") && !/(^|\.)localhost$/.test(url.hostname);
}

/** Bundles are signed, so that a test may serve them without TLS, on this machine. */
function isLocal(url: string): boolean {
  return URL.canParse(url) && /^(127\.0\.0\.1|\[::1\]|localhost)$/.test(new URL(url).hostname);
}

const PRICE = "must be a price: US dollars per million tokens";
const price = z.number(PRICE).min(0, PRICE).max(1e6, PRICE);

/** Tables that may occur only once in a file. */
export const tableSchemas = {
  hub: z.strictObject({
    port: z.int(PORT).min(0, PORT).max(65_535, PORT).optional(),
    host: z
      .string("must be an address such as 127.0.0.1")
      .regex(/^[\w.:%-]{1,255}$/, "must be an address such as 127.0.0.1")
      .optional(),
    data: filePath.optional(),
    askTimeout: patience.optional(),
    remoteApprovals: z.boolean("must be true or false").optional(),
    publicUrl: z
      .string(ORIGIN)
      .refine((url) => isPublicOrigin(url), ORIGIN)
      .optional(),
  }),
  fleet: z
    .strictObject({
      personHeader: z
        .string("must be the name of a header")
        .regex(/^[a-z0-9-]{1,100}$/i, "must be the name of a header, such as x-forwarded-user")
        .refine((name) => !OWN_HEADERS.test(name), "must be a header that has no other meaning, such as x-forwarded-user")
        .optional(),
      proxy: z
        .string("must be an IP address")
        .refine((address) => isIP(address) !== 0, "must be an IP address")
        .optional(),
      proxyUser: z.int("must be the number of a user").min(0, "must be the number of a user").optional(),
    })
    .refine(({ personHeader, proxy }) => (personHeader === undefined) === (proxy === undefined), {
      path: ["personHeader"],
      message: 'needs "proxy", the one address that may send it, and the other way round',
    })
    .refine(({ proxy, proxyUser }) => proxy === undefined || !isLoopback(proxy) || proxyUser !== undefined, {
      path: ["proxy"],
      message:
        'is an address of this machine, which every program here can use: add "proxyUser", the number of the user that the proxy runs as',
    }),
  redact: z.strictObject({ paths: redactPaths.optional() }),
  policy: z
    .strictObject({
      autoAccept: z.literal("all", 'must be "all"').optional(),
      from: filePath.refine((from) => !/^http:/i.test(from) || isLocal(from), "must be a folder, or an https URL").optional(),
      key: signerKeys.optional(),
      channel: z
        .string("must be a name such as stable")
        .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, "must be a name of small letters, such as stable")
        .optional(),
      onStale: z.enum(["keep", "tighten", "closed"], 'must be "keep", "tighten" or "closed"').optional(),
      maxAge: age.optional(),
    })
    .refine(({ from, key }) => from === undefined || key !== undefined, {
      path: ["from"],
      message: 'needs "key", the key of the signer: hookline policy bundle prints it',
    }),
  paths: z.record(
    z.string().regex(/^[\w-]+$/, "must be the name of a set, such as secrets"),
    pathPatterns,
    "must be a table of sets and paths",
  ),
  prices: z.record(
    z.string().min(1, "must be the name of a model, such as gpt-5*").max(200, "must be the name of a model"),
    z.strictObject({ input: price, output: price, cacheRead: price.optional(), cacheWrite: price.optional() }),
    "must be a table of models and prices",
  ),
  mcp: z.strictObject({ eras: z.enum(["any", "modern"], 'must be "any" or "modern"').optional() }),
  retention: z.strictObject({ maxAge: age.optional(), maxBytes: storeSize.optional() }),
};
