import { pluralText } from "./amounts.js";
import { hiddenNotes } from "./exact.js";
import { textsIn } from "./foreign.js";

interface Sign {
  readonly sign: RegExp;
  /** Must come somewhere behind `sign`; apart, as one expression for both takes the square of the time. */
  readonly then?: RegExp;
  readonly note: string;
}

/** What a reader in a hurry should not overlook. A hint for the eye, never a judgement: the guards decide. */
const SIGNS: readonly Sign[] = [
  { sign: /\brm\s+(-\w*[rf]|--recursive|--force)/, note: "deletes files for good" },
  { sign: /\b(sudo|doas)\b/, note: "runs as another user" },
  { sign: /\bpush\b/, then: /\s-f\b|--force/, note: "overwrites history that others may have" },
  { sign: /\bgit\s+(reset\s+--hard|clean\s+-\w*f|checkout\s+--\s)/, note: "throws away changes" },
  { sign: /\b(curl|wget)\b/, then: /\|\s*(ba|z|da|k|fi)?sh\b/, note: "runs what it downloads" },
  { sign: /\b(curl|wget|nc|ssh|scp|rsync)\b|https?:\/\//, note: "reaches the network" },
  { sign: /\b(npm|yarn|pnpm|pip|cargo|gem)\s+(i|install|add|publish)\b/, note: "installs or publishes packages" },
  { sign: /\b(chmod|chown)\b/, note: "changes who may do what" },
  { sign: /\b(dd\s+if=|mkfs|fdisk)\b|>\s*\/dev\/[sh]d/, note: "writes to a device" },
  { sign: /\b(drop\s+(table|database)|truncate\s+table|delete\s+from)\b/i, note: "removes data from a database" },
  { sign: /(\.env\b|id_rsa|\.ssh\/|credentials|\.aws\/)/, note: "touches secrets" },
  { sign: /\b(kubectl|terraform|helm)\s+(delete|destroy|apply|uninstall)\b/, note: "changes running systems" },
];

/** What is longer is looked at in its beginning and its end, and that is said. */
const LOOKED_AT = { first: 200_000, last: 50_000 };

/** What the texts of a call look like, each as it is, whatever stands between them. */
export function riskNotes(call: unknown): readonly string[] {
  const { text, left } = looked(textsIn(call).join("\n"));
  // A line that goes on, and gaps of any length: to a shell they are one blank.
  const plain = text.replaceAll("\\\n", " ").replace(/[ \t]+/g, " ");
  return [
    ...SIGNS.filter((sign) => shows(sign, plain)).map(({ note }) => note),
    ...hiddenNotes(text),
    ...(left > 0 ? [`has ${pluralText(left, "character")} more in its middle than these notes have looked at`] : []),
  ];
}

function shows({ sign, then }: Sign, text: string): boolean {
  const at = text.search(sign);
  return at >= 0 && (then === undefined || then.test(text.slice(at)));
}

function looked(text: string): { readonly text: string; readonly left: number } {
  const left = text.length - LOOKED_AT.first - LOOKED_AT.last;
  return left <= 0 ? { text, left: 0 } : { text: `${text.slice(0, LOOKED_AT.first)}\n${text.slice(-LOOKED_AT.last)}`, left };
}
