/** What every child gets of our environment. Credentials are not among it: a manifest names what its extension needs besides. */
const ALWAYS = [
  "PATH",
  "HOME",
  "LANG",
  "LANGUAGE",
  "TERM",
  "TMPDIR",
  "TZ",
  "USER",
  "LOGNAME",
  // Without these nothing starts on Windows.
  "SystemRoot",
  "ComSpec",
  "PATHEXT",
  "TEMP",
  "TMP",
  "USERPROFILE",
];

type Environment = { readonly [name: string]: string | undefined };

/** The environment for a child process: the allow-list, the locale, and the names it was granted. */
export function childEnvironment(environment: Environment, granted: readonly string[] = []): { [name: string]: string } {
  const names = [...ALWAYS, ...Object.keys(environment).filter((name) => name.startsWith("LC_")), ...granted];
  const kept = names.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]] as const]));
  // A line that is printed to stdout there would break the protocol; our own stdout sink looks at this.
  // What runs from a pinned folder must not write into it.
  return { PYTHONDONTWRITEBYTECODE: "1", ...Object.fromEntries(kept), HOOKLINE_STDOUT_PROTOCOL: "1" };
}
