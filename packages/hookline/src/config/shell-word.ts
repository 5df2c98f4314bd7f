/** Text as one word of a POSIX shell, for a command that a person is shown: plain where that will do. Loads nothing: every command line starts with it. */
export function shellWord(text: string): string {
  return /^[\w./@:+-]+$/.test(text) ? text : quoted(text);
}

export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The command that opens a file for a person to mend. */
export function editCommand(path: string): string {
  return `\${EDITOR:-vi} ${shellWord(path)}`;
}
