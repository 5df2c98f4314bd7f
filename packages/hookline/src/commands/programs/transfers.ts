import type { ProgramEntry } from "../program-entry.js";
import { plain } from "./plain-options.js";

/** Programs that hand files to other people or to a service, and those that fetch or put files with commands of their own. */
export const transferPrograms: readonly ProgramEntry[] = [
  {
    names: ["croc"],
    also: ["wormhole", "magic-wormhole", "wormhole-william", "ffsend", "send-cli", "onionshare-cli", "transfer", "filebin", "portal"],
    options: plain(
      "--code -c TEXT, --yes, --relay ADDRESS, --pass PASSWORD, --password -p, --downloads N, --host URL, -v --verbose, -q --quiet, --hide-progress, --no-listen",
    ),
    verbs: {
      "send, upload, up, u": { operands: ["send-file..."], sends: "stdin", stdin: "read" },
      "receive, recv, download, get, version, help, relay, history": { operands: ["text..."], receives: true },
    },
    examples: {
      "croc send notes.txt": { sends: ["file"], reads: ["notes.txt"] },
      "wormhole send notes.txt": { sends: ["file"] },
      "wormhole receive 7-guitar-x": { sends: [] },
    },
  },
  {
    names: ["pastebinit"],
    also: ["wgetpaste", "gist", "dpaste", "sprunge", "termbin"],
    operands: ["send-file..."],
    sends: "stdin",
    stdin: "read",
    options: {
      "-i FILE": { value: "send-file" },
      "-l --list": { isDryRun: true },
      "-h --help": { isDryRun: true },
      "-v --version": { isDryRun: true },
      ...plain("-b URL, -a AUTHOR, -f FORMAT, -t TITLE, -p --private, -P, -d TEXT, -o, -c, -E"),
    },
    examples: { "pastebinit notes.txt": { sends: ["file"], reads: ["notes.txt"] }, "gist -p a.txt": { sends: ["file"] } },
  },
  {
    names: ["ncftpput"],
    also: ["ftp-upload"],
    operands: ["host", "text", "send-file..."],
    options: plain("-u USER, -p PASSWORD, -P PORT, -m, -R, -a, -f FILE, -d FILE, -z, -v, -V"),
    examples: { "ncftpput h.example /in a.txt": { sends: ["file"], hosts: ["h.example"], reads: ["a.txt"] } },
  },
  {
    names: ["b2"],
    options: plain("-v --verbose, -q --quiet, --profile NAME"),
    subcommands: {
      "upload-file": { operands: ["text", "send-file", "text..."] },
      sync: { operands: ["copy...", "copy-to"], options: { "--delete": { destroys: "infrastructure" }, "--dry-run": { isDryRun: true } } },
      "rm, delete-bucket, delete-file-version": { operands: ["target..."], destroys: "infrastructure" },
      "*": { operands: ["target..."] },
    },
    examples: { "b2 upload-file bucket a.txt a": { sends: ["file"], reads: ["a.txt"] }, "b2 ls bucket": { sends: [], destroys: [] } },
  },
];
