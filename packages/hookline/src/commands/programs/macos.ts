import type { CommandEntry, ProgramEntry } from "../program-entry.js";
import { plain } from "./plain-options.js";

const targets: CommandEntry = { operands: ["target..."] };

/** Programs of macOS and the BSDs. Their spellings of common options are with the common programs. */
export const macosPrograms: readonly ProgramEntry[] = [
  {
    names: ["diskutil"],
    subcommands: {
      "eraseDisk, eraseVolume, secureErase, zeroDisk, randomDisk, partitionDisk, reformat, splitPartition, mergePartitions, erasedisk, erasevolume, partitiondisk, zerodisk":
        { operands: ["target..."], destroys: "disk" },
      "apfs ap": {
        subcommands: {
          "deleteContainer, deleteVolume, eraseVolume, deleteVolumeGroup, deleteSnapshot, convert": {
            operands: ["target..."],
            destroys: "disk",
          },
          "*": targets,
        },
      },
      "coreStorage cs, appleRAID ar": {
        subcommands: { "delete, deleteVolume": { operands: ["target..."], destroys: "disk" }, "*": targets },
      },
      "*": targets,
    },
    examples: {
      "diskutil eraseDisk APFS X disk9": { destroys: ["disk"] },
      "diskutil list": { destroys: [] },
      "diskutil apfs deleteContainer disk9": { destroys: ["disk"] },
    },
  },
  {
    names: ["launchctl"],
    subcommands: {
      "load, bootstrap, enable, submit, kickstart": {
        operands: ["target..."],
        options: plain("-w, -F, -S TYPE, -D DOMAIN, -k, -p"),
        writes: ["~/Library/LaunchAgents/*"],
      },
      reboot: { operands: ["target..."], destroys: "machine" },
      "unload, bootout, remove, stop, disable, kill": { operands: ["target..."], options: plain("-w, -F, -S TYPE, -D DOMAIN") },
      "setenv, unsetenv, getenv, list, print, print-disabled, start, dumpstate, managername, version, help, blame": targets,
      asuser: { operands: ["text", "command"] },
    },
    examples: {
      "launchctl load -w ~/Library/LaunchAgents/x.plist": { verb: "load", writes: ["~/Library/LaunchAgents/*"] },
      "launchctl list": { writes: [] },
    },
  },
  {
    names: ["security"],
    options: plain("-q, -v, -i, -l, -p PROMPT"),
    subcommands: {
      "find-generic-password, find-internet-password, dump-keychain, export, find-key": {
        operands: ["target..."],
        prints: "secret",
        reads: ["~/Library/Keychains/*"],
        options: plain("-a NAME, -s NAME, -w, -g, -d, -k FILE, -t TYPE, -f FORMAT, -o FILE, -P TEXT, -l LABEL, -r PROTOCOL"),
      },
      "delete-generic-password, delete-internet-password, delete-keychain, delete-certificate, delete-identity": {
        operands: ["target..."],
        destroys: "secret",
        options: plain("-a NAME, -s NAME, -c NAME, -Z HASH, -t"),
      },
      "*": targets,
    },
    examples: {
      "security find-generic-password -w -s x": { reads: ["~/Library/Keychains/*"], destroys: [] },
      "security delete-keychain old.keychain": { destroys: ["secret"] },
      "security list-keychains": { reads: [] },
    },
  },
  {
    names: ["csrutil"],
    also: ["spctl", "fdesetup", "tccutil", "nvram", "bless", "systemsetup", "pmset", "kmutil", "kextload", "kextunload"],
    options: {
      "--master-disable --global-disable": { destroys: "machine" },
      ...plain("--master-enable, -c, -d NAME, -m, -a, -setremotelogin VALUE, --assess, -v"),
    },
    subcommands: { "disable, reset, authenticated-root": { operands: ["target..."], destroys: "machine" }, "*": targets },
    examples: {
      "csrutil disable": { destroys: ["machine"] },
      "csrutil status": { destroys: [] },
      "spctl --master-disable": { destroys: ["machine"] },
    },
  },
  {
    names: ["tmutil"],
    subcommands: {
      "delete, deletelocalsnapshots, thinlocalsnapshots, disable, deleteinprogress, restore": {
        operands: ["target..."],
        destroys: "backup",
        options: plain("-d PATH, -t TIME, -p PATH"),
      },
      "*": targets,
    },
    examples: { "tmutil deletelocalsnapshots /": { destroys: ["backup"] }, "tmutil listbackups": { destroys: [] } },
  },
  {
    names: ["defaults"],
    subcommands: {
      "write, delete, rename, import": { operands: ["target..."], writes: ["~/Library/Preferences/*"], syntax: "none" },
      "*": { operands: ["target..."], syntax: "none" },
    },
    examples: { "defaults write com.x a -bool true": { writes: ["~/Library/Preferences/*"] }, "defaults read com.x": { writes: [] } },
  },
  {
    names: ["dscl"],
    also: ["dseditgroup", "sysadminctl", "dsenableroot"],
    operands: ["target..."],
    writes: ["/var/db/dslocal"],
    options: {
      "-read -readall -list -search": { isDryRun: true },
      ...plain("-create, -append, -delete, -passwd, -o NAME, -a NAME, -t TYPE, -addUser NAME, -deleteUser NAME, -password TEXT, -admin"),
    },
    examples: { "dscl . -list /Users": { writes: [] }, "sysadminctl -addUser bob": { writes: ["/var/db/dslocal"] } },
  },
  {
    names: ["ditto"],
    also: ["pax"],
    operands: ["read...", "into"],
    options: plain("-c, -x, -k, -v, -V, -X, -z, -j, --keepParent, --sequesterRsrc, --rsrc, -r, -w, -f FILE"),
    examples: { "ditto a b": { reads: ["a"], writes: ["b", "b/a"] } },
  },
  {
    names: ["open"],
    also: ["code", "cursor", "subl", "zed", "xdg-open", "wslview", "start"],
    operands: ["text..."],
    options: plain("-a APP, -b BUNDLE, -e, -t, -f, -F, -W, -R, -n, -g, -j, -h NAME, -u URL, --args"),
    examples: { "open -a Preview a.pdf": { writes: [] } },
  },
  {
    names: ["gio"],
    subcommands: {
      trash: {
        operands: ["delete..."],
        recursive: true,
        options: { "--empty": { deletes: ["~/.local/share/Trash"] }, ...plain("-f --force, --list, --restore") },
      },
      remove: { operands: ["delete..."], options: plain("-f --force") },
      copy: { operands: ["read...", "into"] },
      move: { operands: ["move...", "into"] },
      save: { operands: ["write"], stdin: "read" },
      cat: { operands: ["read..."], prints: "files" },
      "*": targets,
    },
    examples: { "gio trash a": { deletes: ["a"] }, "gio list a": { deletes: [] } },
  },
  {
    names: ["pbcopy"],
    also: ["xclip", "xsel", "wl-copy", "clip"],
    operands: ["text..."],
    stdin: "read",
    options: plain("-selection NAME, -i, -o, -b, -p, -sel NAME"),
    examples: { "cat a | pbcopy": { stdin: ["file"] } },
  },
  { names: ["pbpaste"], also: ["wl-paste"], prints: "unknown", examples: { "pbpaste | sh": { program: "sh", runs: ["unknown"] } } },
  {
    names: ["plutil"],
    also: ["PlistBuddy"],
    operands: ["text..."],
    options: {
      "-c COMMAND": {},
      ...plain("-convert FORMAT, -insert KEY, -replace KEY, -remove KEY, -extract KEY, -o FILE, -lint, -p, -xml FILE"),
    },
    examples: { "plutil -p a.plist": { writes: [] } },
  },
  {
    names: ["hdiutil"],
    also: ["asr"],
    subcommands: {
      create: { operands: ["write"], options: plain("-size SIZE, -fs TYPE, -volname NAME, -srcfolder DIR, -ov, -format FORMAT") },
      "*": targets,
      restore: { operands: ["target..."], destroys: "disk", options: plain("--source FILE, --target DISK, --erase, --noprompt") },
    },
    examples: { "hdiutil attach a.dmg": { destroys: [] } },
  },
  {
    names: ["chflags", "lchflags"],
    also: ["xattr"],
    operands: ["text", "change..."],
    options: {
      "-R -r": { recursive: true },
      "-d NAME": { drops: "text" },
      "-w NAME VALUE": { drops: "text" },
      "-c": { drops: "text" },
      ...plain("-l, -h, -H, -L, -P, -v, -x, -p NAME, -s"),
    },
    examples: { "chflags -R nouchg src": { changes: ["src"], recursive: true }, "xattr -d com.apple.quarantine x": { changes: ["x"] } },
  },
  {
    names: ["softwareupdate"],
    also: [
      "xcode-select",
      "xcrun",
      "simctl",
      "codesign",
      "notarytool",
      "stapler",
      "pkgbuild",
      "productbuild",
      "lipo",
      "sips",
      "mdfind",
      "mdls",
      "screencapture",
      "afplay",
    ],
    operands: ["text..."],
    options: plain("-s NAME, -f --force, --install, -i, -a, -v"),
    examples: { "mdfind -name shutdown": { destroys: [] } },
  },
];
