/** Text as one word of a POSIX shell, with quotes only if it needs them. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : quoted(text);
}

/** The same, always in quotes. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The command that opens a file for a person to correct. */
export function editCommand(path: string): string {
  return `\${EDITOR:-vi} ${shellWord(path)}`;
}
