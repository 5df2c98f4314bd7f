/** The variables of our environment that every child receives. They hold no credentials: a manifest names what else its extension needs. */
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
  // No process starts without these on Windows.
  "SystemRoot",
  "ComSpec",
  "PATHEXT",
  "TEMP",
  "TMP",
  "USERPROFILE",
];

type Environment = { readonly [name: string]: string | undefined };

/** The environment of a child process: the allow-list, the locale and the granted names. */
export function childEnvironment(environment: Environment, granted: readonly string[] = []): { [name: string]: string } {
  const names = [...ALWAYS, ...Object.keys(environment).filter((name) => name.startsWith("LC_")), ...granted];
  const kept = names.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]] as const]));
  // A line on stdout would break the protocol there. Our own stdout sink checks
  // HOOKLINE_STDOUT_PROTOCOL. Python must not write byte code into a pinned folder.
  return { PYTHONDONTWRITEBYTECODE: "1", ...Object.fromEntries(kept), HOOKLINE_STDOUT_PROTOCOL: "1" };
}
