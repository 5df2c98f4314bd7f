import { isExact, type Value } from "./value.js";

/** The host of an address, of `user@host` or of `host:port`, in lower case. Undefined if it is not known. */
export function hostOfUrl({ text, pattern, unknown }: Value): string | undefined {
  const isOpen = pattern !== undefined && unknown !== undefined;
  const known = (isOpen ? pattern.slice(0, pattern.indexOf("**")) : text).replace(/^[a-z][a-z0-9+.-]*:\/\//i, "");
  const [, host, end = ""] = /^(?:[^@/\s]*@)?(\[[^\]]*\]|[^/:?#\s]+)(.?)/.exec(known) ?? [];
  // The unknown part may continue the host's name.
  if (host === undefined || (isOpen && end === "")) return undefined;
  return host.toLowerCase();
}

/** The host of `host:path`, `user@host:path` or `scheme://host/path`, as scp, rsync and cloud tools write places on other machines. */
export function remoteOf(value: Value): string | undefined {
  const { text } = value;
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return text.startsWith("file://") ? undefined : (hostOfUrl(value) ?? text);
  if (/^[./~]/.test(text) || (!isExact(value) && value.pattern?.startsWith("**") === true && !text.includes(":"))) return undefined;
  return /^(?:[^@/\s:]+@)?(\[[^\]]+\]|[^/\s:]{2,}):/.exec(text)?.[1]?.toLowerCase();
}
