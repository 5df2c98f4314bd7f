import { isFields } from "./fields.js";

/** What a reader in a hurry should not overlook. A hint for the eye, never a judgement: the guards decide. */
const SIGNS: readonly { readonly sign: RegExp; readonly note: string }[] = [
  { sign: /\brm\s+(-\w*[rf]|--recursive|--force)/, note: "deletes files for good" },
  { sign: /\b(sudo|doas)\b/, note: "runs as another user" },
  { sign: /\bpush\b.*(\s-f\b|--force)/, note: "overwrites history that others may have" },
  { sign: /\bgit\s+(reset\s+--hard|clean\s+-\w*f|checkout\s+--\s)/, note: "throws away changes" },
  { sign: /\b(curl|wget)\b[^|;]*\|\s*(ba|z|da)?sh\b/, note: "runs what it downloads" },
  { sign: /\b(curl|wget|nc|ssh|scp|rsync)\b|https?:\/\//, note: "reaches the network" },
  { sign: /\b(npm|yarn|pnpm|pip|cargo|gem)\s+(i|install|add|publish)\b/, note: "installs or publishes packages" },
  { sign: /\b(chmod|chown)\b/, note: "changes who may do what" },
  { sign: /\b(dd\s+if=|mkfs|fdisk)\b|>\s*\/dev\/[sh]d/, note: "writes to a device" },
  { sign: /\b(drop\s+(table|database)|truncate\s+table|delete\s+from)\b/i, note: "removes data from a database" },
  { sign: /(\.env\b|id_rsa|\.ssh\/|credentials|\.aws\/)/, note: "touches secrets" },
  { sign: /\b(kubectl|terraform|helm)\s+(delete|destroy|apply|uninstall)\b/, note: "changes running systems" },
];
const MAX_LENGTH = 20_000;

export function riskNotes(payload: unknown): readonly string[] {
  const text = JSON.stringify(isFields(payload) && isFields(payload.tool) ? payload.tool.input : payload) ?? "";
  return SIGNS.filter(({ sign }) => sign.test(text.slice(0, MAX_LENGTH))).map(({ note }) => note);
}
