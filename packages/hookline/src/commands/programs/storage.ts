import type { ProgramEntry } from "../program-entry.js";
import { plain } from "./plain-options.js";

/** Programs that copy whole disks or file systems, and those that delete snapshots of them. */
export const storagePrograms: readonly ProgramEntry[] = [
  {
    names: ["ddrescue", "dd_rescue"],
    operands: ["read", "disk", "write"],
    options: {
      "-h --help": { isDryRun: true },
      ...plain(
        "-f --force, -d --idirect, -r --retry-passes N, -n --no-scrape, -b --sector-size N, -S --sparse, -v --verbose, -c N, -R, -y",
      ),
    },
    examples: { "ddrescue -f a.img /dev/sdq": { writes: ["/dev/sdq"] }, "ddrescue /dev/sdq a.img a.map": { writes: ["a.img", "a.map"] } },
  },
  {
    names: ["partclone"],
    also: ["partclone.ext4", "partclone.xfs", "partclone.btrfs", "partclone.ntfs", "partclone.restore", "partclone.dd", "ntfsclone"],
    operands: ["read..."],
    options: {
      "-o --output --overwrite FILE": { value: "disk" },
      "-O FILE": { value: "disk" },
      "-s --source FILE": { value: "read" },
      ...plain("-c --clone, -r --restore, -b --dev-to-dev, -d --debug, -C, -F --force, -L --logfile FILE, -q, --restore-image"),
    },
    examples: { "partclone.ext4 -r -s a.img -o /dev/sdq1": { writes: ["/dev/sdq1"] } },
  },
  {
    names: ["bmaptool"],
    options: plain("-q --quiet, -d --debug"),
    subcommands: {
      copy: { operands: ["read", "disk"], options: plain("--bmap FILE, --nobmap, --no-verify") },
      "*": { operands: ["target..."] },
    },
    examples: { "bmaptool copy a.img /dev/sdq": { writes: ["/dev/sdq"] } },
  },
  {
    names: ["sg_format"],
    also: ["sg_sanitize", "sg_write_same", "mhdd", "scsiformat"],
    operands: ["target..."],
    destroys: "disk",
    options: {
      "-h --help": { destroys: "nothing" },
      "-x --dry-run": { destroys: "nothing" },
      ...plain("-F --format, -S --size N, -C --crypto, -B --block, -O --overwrite, -Q --quick, -w --wait, -v --verbose, -e --early"),
    },
    examples: { "sg_format --format /dev/sg9": { destroys: ["disk"] } },
  },
  {
    names: ["lvm"],
    wrapper: true,
    operands: ["command"],
    examples: { "lvm lvremove -y vg0/old": { program: "lvremove", destroys: ["disk"], via: ["lvm"] } },
  },
  {
    names: ["snapper"],
    options: plain("-c --config NAME, -q --quiet, -v --verbose, --no-dbus, -r --root DIR"),
    subcommands: {
      "delete remove rm": { operands: ["target..."], destroys: "backup", options: plain("-s --sync") },
      "rollback, undochange, delete-config": { operands: ["target..."], destroys: "backup" },
      "*": { operands: ["target..."] },
    },
    examples: { "snapper delete 7": { destroys: ["backup"] }, "snapper list": { destroys: [] } },
  },
  {
    names: ["timeshift"],
    options: {
      "--delete-all": { destroys: "backup" },
      "--delete": { destroys: "backup" },
      "--restore": { destroys: "backup" },
      ...plain("--list, --create, --check, --snapshot NAME, --comments TEXT, --tags TAGS, --yes, --scripted, --snapshot-device DEVICE"),
    },
    examples: { "timeshift --delete-all": { destroys: ["backup"] }, "timeshift --list": { destroys: [] } },
  },
];
