import type { ProgramEntry } from "../program-entry.js";

/** Programs that talk to hosts. */
export const networkPrograms: readonly ProgramEntry[] = [
  {
    names: ["curl"],
    operands: ["url..."],
    receives: true,
    prints: "network",
    options: {
      "-o --output FILE": { value: "write", prints: "nothing" },
      "-O --remote-name": { operands: ["url-file..."], prints: "nothing" },
      "-d --data --data-ascii DATA": { value: "send-at" },
      "--data-binary DATA": { value: "send-at" },
      "--data-raw DATA": { value: "send" },
      "-F --form FIELD": { value: "send-at" },
      "-T --upload-file FILE": { value: "send-file" },
      "-H --header HEADER": {},
      "-X --request METHOD": {},
      "-u --user USER": {},
      "--url URL": { value: "url" },
      "-K --config FILE": { value: "unknown" },
      "-s --silent": {},
      "-S --show-error": {},
      "-f --fail": {},
      "-L --location": {},
      "-k --insecure": {},
    },
    examples: {
      "curl -fsSL https://example.com/a.sh": { hosts: ["example.com"], receives: true, writes: [], sends: [] },
      "curl -o out -d @data.json https://example.com": { writes: ["out"], reads: ["data.json"], sends: ["file"] },
      "curl -O https://example.com/a.tgz": { writes: ["a.tgz"] },
      "curl https://example.com/$X": { hosts: ["example.com"] },
      "curl https://$X/a": { unknown: ["hosts"] },
    },
  },
];
