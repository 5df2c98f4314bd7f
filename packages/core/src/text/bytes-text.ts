/** Bytes as text if they are UTF-8, so that a rule about text sees it; else in base64. `of`: of what they are the bytes, where that is not bytes. */
export function bytesText(bytes: ArrayBuffer | ArrayBufferView): {
  readonly text?: string;
  readonly base64?: string;
  readonly of?: string;
} {
  const given = ArrayBuffer.isView(bytes) ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength) : new Uint8Array(bytes);
  const kind = Object.prototype.toString.call(bytes).slice(8, -1);
  const of = kind === "Uint8Array" || kind === "ArrayBuffer" ? {} : { of: kind };
  try {
    return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(given), ...of };
  } catch {
    return { base64: base64(given), ...of };
  }
}

const CHUNK = 8192;

function base64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += CHUNK) binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(binary);
}
