const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** `KEY=VALUE` lines, as a file of variables has them: comments, blank lines, `export` and quotes around the value are understood. */
export function readEnvironmentLines(text: string): { readonly [name: string]: string } {
  const entries = text.split("\n").flatMap((line): [string, string][] => {
    const bare = line.trim().replace(/^export\s+/, "");
    const at = bare.indexOf("=");
    const name = bare.slice(0, Math.max(0, at)).trim();
    return NAME.test(name) ? [[name, unquoted(bare.slice(at + 1).trim())]] : [];
  });
  return Object.fromEntries(entries);
}

function unquoted(value: string): string {
  const [first = ""] = value;
  return value.length >= 2 && (first === '"' || first === "'") && value.endsWith(first) ? value.slice(1, -1) : value;
}
