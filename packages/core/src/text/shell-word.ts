/** Text as one word of a POSIX shell. Throws for text with a NUL, which no shell can hold. */
export function quoted(text: string): string {
  if (text.includes("\0")) throw new RangeError(`A shell word cannot hold a NUL: ${JSON.stringify(text)}.`);
  return `'${text.replaceAll("'", "'\\''")}'`;
}
