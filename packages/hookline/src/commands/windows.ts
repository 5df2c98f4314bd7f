/** Commands that cmd.exe runs itself, and that take options with a slash. */
const cmdPrograms = new Set([
  "assoc",
  "attrib",
  "cacls",
  "copy",
  "del",
  "erase",
  "format",
  "icacls",
  "mklink",
  "move",
  "rd",
  "reg",
  "rmdir",
  "robocopy",
  "schtasks",
  "takeown",
  "taskkill",
  "xcopy",
]);
const powerShellAliases = new Set(["irm", "iwr", "gci", "gcm", "spps"]);

/** Where a command begins with a name that only PowerShell has. */
const POWERSHELL =
  /(?:^|[\n;|&({=])[ \t]*(?:[A-Z][a-z]+-[A-Z][A-Za-z]+|(?:[iI][wW][rR]|[iI][rR][mM]|[iI][eE][xX]|[gG][cC][iI]|icm|saps|spps|gcm))(?=[\s;|)]|$)/;

/** Whether a text may be one for PowerShell, although a tool for a shell has it. */
export function isPowerShellText(text: string): boolean {
  return POWERSHELL.test(text);
}

/** Why a command cannot be read because it is one of PowerShell or of cmd.exe. */
export function windowsCommand(program: string, args: readonly { readonly text: string }[]): string | undefined {
  if (/^[A-Z][a-z]+-[A-Z][A-Za-z]+$/.test(program) || powerShellAliases.has(program))
    return `${program} is a command of PowerShell, which is not read`;
  if (cmdPrograms.has(program.toLowerCase()) && args.some(({ text }) => /^\/[A-Za-z](?::.*)?$/.test(text)))
    return `${program} has options of cmd.exe, which is not read`;
  return undefined;
}

/** The base name of a program by a path of Windows or with its ending; other names are returned as they are. */
export function withoutEnding(name: string): string {
  const base = /^[A-Za-z]:\\/.test(name) ? name.slice(name.lastIndexOf("\\") + 1) : name;
  return /\.(?:exe|cmd|bat|com)$/i.test(base) ? base.slice(0, -4).toLowerCase() : base;
}
