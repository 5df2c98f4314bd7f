import { randomUUID } from "node:crypto";

interface Mail {
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

const LINE = 76;
/** Bytes of an encoded word: with its frame it stays within a line. */
const WORD_BYTES = 42;

/** A mail as SMTP carries it. Subject and text are base64, so nothing in them can end a line or the mail. */
export function mailText({ from, to, subject, text }: Mail, now = new Date()): string {
  const body =
    Buffer.from(text, "utf8")
      .toString("base64")
      .match(new RegExp(`.{1,${LINE}}`, "g")) ?? [];
  return [
    `From: Hookline <${from}>`,
    `To: <${to}>`,
    `Subject: ${encodedWords(subject).join("\r\n ")}`,
    `Date: ${now.toUTCString().replace("GMT", "+0000")}`,
    `Message-ID: <${randomUUID()}@hookline.invalid>`,
    "MIME-Version: 1.0",
    "Content-Type: text/plain; charset=utf-8",
    "Content-Transfer-Encoding: base64",
    "Auto-Submitted: auto-generated",
    "",
    ...body,
    "",
  ].join("\r\n");
}

/** RFC 2047: a word never ends within a character. */
function encodedWords(text: string): string[] {
  const words: string[] = [""];
  for (const character of text) {
    const last = words.at(-1) ?? "";
    if (Buffer.byteLength(last + character) > WORD_BYTES) words.push(character);
    else words[words.length - 1] = last + character;
  }
  return words.map((word) => `=?utf-8?B?${Buffer.from(word, "utf8").toString("base64")}?=`);
}
