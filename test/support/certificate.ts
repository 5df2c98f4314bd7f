import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A certificate that is its own authority, for these names. Needs OpenSSL. */
export function makeCertificate(
  folder: string,
  names: readonly string[],
): { readonly key: string; readonly cert: string; readonly path: string } {
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const subject = ["-subj", `/CN=${names[0]}`, "-addext", `subjectAltName=${names.map((name) => `DNS:${name}`).join(",")}`];
  const made = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-keyout", key, "-out", cert];
  execFileSync("openssl", ["req", "-x509", ...made, ...subject], { stdio: "pipe" });
  return { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8"), path: cert };
}
