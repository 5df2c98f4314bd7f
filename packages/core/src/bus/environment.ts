const OFF = /^(0|false|no|off)$/i;

/** A variable of the process, or empty text. Browsers have no process, and Deno throws where the program has no permission to read it. */
export function environment(name: string): string {
  const host = globalThis as { process?: { env?: Record<string, string | undefined> } };
  try {
    return host.process?.env?.[name] ?? "";
  } catch {
    return "";
  }
}

/** Whether a variable of the process is `0`, `false`, `no` or `off`. */
export function isSwitchedOff(name: "HOOKLINE" | "HOOKLINE_FORWARD"): boolean {
  return OFF.test(environment(name).trim());
}
