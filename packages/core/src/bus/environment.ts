const OFF = /^(0|false|no|off)$/i;

/** A variable of the process; empty where there is none. The bus runs in browsers too, where there is no process. */
export function environment(name: string): string {
  const host = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return host.process?.env?.[name] ?? "";
}

/** Whether a variable of the process is `0`, `false`, `no` or `off`. */
export function isSwitchedOff(name: "HOOKLINE" | "HOOKLINE_FORWARD"): boolean {
  return OFF.test(environment(name).trim());
}
