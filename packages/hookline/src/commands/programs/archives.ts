import type { OptionTable, ProgramEntry } from "../program-entry.js";
import { plain } from "./plain-options.js";

const packerOptions: OptionTable = {
  "-d --decompress --uncompress": { prints: "decoded" },
  "-c --stdout --to-stdout": { turns: { edit: "read" } },
  "-k --keep": { turns: { move: "read" } },
  "-l --list": { turns: { edit: "read" } },
  "-t --test": { turns: { edit: "read" } },
  "-r --recursive": { recursive: true },
  "-o FILE": { value: "write" },
  ...plain(
    "-f --force, -n --no-name, -N --name, -q --quiet, -v --verbose, -S --suffix SUF, -a --ascii, -T --threads N, -0 --fast, -1, -2, -3, -4, -5, -6, -7, -8, -9 --best, -e --extreme, -z --compress, -s, --rm, -D FILE, --ultra, --long [N], -M --memory LIMIT, -F --format FORMAT",
  ),
};

/** Programs that pack and unpack. */
export const archivePrograms: readonly ProgramEntry[] = [
  {
    names: ["tar", "gtar", "bsdtar"],
    // The first word may be a group of letters without a dash; `f` and `C` take the words that follow.
    syntax: "tar",
    operands: ["read..."],
    stdin: "read",
    prints: "files",
    options: {
      "-c --create": { turns: { archive: "write" } },
      "-r --append": { turns: { archive: "edit" } },
      "-u --update": { turns: { archive: "edit" } },
      "-A --catenate --concatenate": { turns: { archive: "edit" } },
      "--delete": { turns: { archive: "edit" }, operands: ["text..."] },
      "-x --extract --get": { turns: { archive: "read" }, operands: ["text..."], writes: ["."], prints: "nothing" },
      "-t --list": { turns: { archive: "read" }, operands: ["text..."] },
      "-d --diff --compare": { turns: { archive: "read" } },
      "-f --file ARCHIVE": { value: "archive" },
      "-C --directory --cd DIR": { value: "dir" },
      "-O --to-stdout": { prints: "decoded" },
      "-T --files-from FILE": { value: "read" },
      "-I --use-compress-program COMMAND": { value: "command" },
      "--to-command COMMAND": { value: "script" },
      "--checkpoint-action ACTION": { value: "setting", settings: { exec: "script" } },
      "-F --info-script --new-volume-script COMMAND": { value: "script" },
      "--rsh-command COMMAND": { value: "command" },
      "--remove-files": { turns: { read: "move" }, recursive: true },
      "--recursive-unlink": { recursive: true },
      ...plain(
        "-z --gzip --gunzip, -j --bzip2, -J --xz, -Z --compress, --zstd, --lzma, --lz4, -a --auto-compress, -v --verbose, -p --preserve-permissions, -P --absolute-names, -h --dereference, -k --keep-old-files, -m --touch, -w --interactive, -W --verify, -S --sparse, -l, -o, -s, -B, -i, -n --seek, -U --unlink-first, -g --listed-incremental FILE, -G --incremental, -N --newer DATE, -X --exclude-from FILE, -V --label TEXT, -L --tape-length N, -M --multi-volume, -b --blocking-factor N, -H --format FORMAT, -K --starting-file NAME, --exclude PATTERN, --exclude-vcs, --exclude-vcs-ignores, --strip-components N, --transform --xform EXPR, --wildcards, --no-wildcards, --owner NAME, --group NAME, --mode MODE, --mtime DATE, --sort ORDER, --numeric-owner, --no-same-owner, --same-owner, --no-same-permissions, --overwrite, --skip-old-files, --keep-newer-files, --one-file-system, --totals [N], --checkpoint [N], --no-recursion, --recursion, --null, --anchored, --one-top-level [DIR], --warning KEYWORD, --ignore-failed-read, --pax-option OPTION, --xattrs, --acls, --selinux, --occurrence [N], --show-transformed-names, --suffix SUFFIX, --backup [CONTROL], --hole-detection TYPE",
      ),
    },
    examples: {
      "tar czf out.tgz src lib": { reads: ["src", "lib"], writes: ["out.tgz"] },
      "tar -xzf a.tgz -C /opt/x": { dir: "/opt/x", reads: ["a.tgz"], writes: ["/opt/x"] },
      "tar tf a.tar": { reads: ["a.tar"], writes: [] },
      "tar --create --file=a.tar --remove-files old": { writes: ["a.tar"], deletes: ["old"] },
      "tar cf - notes | nc h.example 99": { program: "nc", sends: ["file"] },
      "tar xf a.tar --to-command='rm -r b'": { program: "rm", deletes: ["b"] },
    },
  },
  {
    names: ["gzip", "pigz", "bzip2", "pbzip2", "lbzip2", "xz", "lzma", "zstd", "lz4", "brotli", "lzip", "compress", "ggzip"],
    operands: ["edit..."],
    stdin: "read",
    prints: "files",
    options: packerOptions,
    examples: {
      "gzip -k big.log": { writes: ["big.log"] },
      "gzip -c a > a.gz": { reads: ["a"], writes: ["a.gz"] },
      "xz -dc x.xz | sh": { program: "sh", runs: ["decoded"] },
    },
  },
  {
    names: ["gunzip", "unpigz", "bunzip2", "unxz", "unlzma", "unzstd", "unlz4", "uncompress"],
    operands: ["edit..."],
    stdin: "read",
    prints: "decoded",
    options: packerOptions,
    examples: { "gunzip dump.gz": { writes: ["dump.gz"] } },
  },
  {
    names: ["zcat", "gzcat", "bzcat", "xzcat", "zstdcat", "lz4cat", "lzcat", "zless", "zmore", "xzless"],
    operands: ["read..."],
    stdin: "read",
    prints: "decoded",
    options: plain("-f --force, -v --verbose, -q --quiet, -l"),
    examples: { "zcat dump.gz": { reads: ["dump.gz"] } },
  },
  {
    names: ["zip"],
    operands: ["write", "read..."],
    options: {
      "-d --delete": { operands: ["edit", "text..."] },
      "-m --move": { turns: { read: "move" }, recursive: true },
      "-TT --unzip-command COMMAND": { value: "script" },
      ...plain(
        "-r --recurse-paths, -q --quiet, -v --verbose, -j --junk-paths, -u --update, -f --freshen, -9, -0, -1, -y --symlinks, -e --encrypt, -P --password TEXT, -x --exclude PATTERN, -i --include PATTERN, -T --test, -@, -X --no-extra, -D --no-dir-entries, -s --split-size SIZE, -o --latest-time, -n --suffixes LIST, -b --temp-path DIR, -t DATE, -FS --filesync, -g --grow, -l, -A",
      ),
    },
    examples: {
      "zip -qr out.zip src": { writes: ["out.zip"], reads: ["src"] },
      "zip -m old.zip a.log": { writes: ["old.zip"], deletes: ["a.log"] },
    },
  },
  {
    names: ["unzip", "unrar", "unar", "gunrar"],
    operands: ["read", "text..."],
    prints: "nothing",
    options: {
      "-d DIR": { value: "write" },
      "-p": { prints: "decoded" },
      ...plain("-l, -t, -v, -Z, -z, -f, -u, -o, -n, -q -qq, -a, -j, -C, -L, -X, -x LIST, -P PASSWORD, -O CHARSET"),
    },
    examples: { "unzip -o a.zip -d ~/out": { reads: ["a.zip"], writes: ["~/out"] }, "unzip -l a.zip": { reads: ["a.zip"], writes: [] } },
  },
  {
    names: ["7z", "7za", "7zz", "7zr", "p7zip", "rar"],
    subcommands: {
      "a, u": { operands: ["write", "read..."], options: { "-sdel": { turns: { read: "move" }, recursive: true } } },
      d: { operands: ["edit", "text..."] },
      "x, e": { operands: ["read", "text..."], options: { "-so": { prints: "decoded" }, "-o [DIR]": { value: "write" } } },
      "l, t, i, h, b": { operands: ["read", "text..."] },
    },
    examples: {
      "7z a out.7z src": { writes: ["out.7z"], reads: ["src"], verb: "a" },
      "7z x a.7z -oout": { reads: ["a.7z"], writes: ["out"] },
    },
  },
  {
    names: ["cpio", "gcpio"],
    stdin: "read",
    prints: "files",
    options: {
      "-o --create": {},
      "-i --extract": { writes: ["."] },
      "-p --pass-through": { operands: ["write"] },
      "-t --list": { isDryRun: true },
      "-D --directory DIR": { value: "dir" },
      "-F --file ARCHIVE": { value: "edit" },
      "-O ARCHIVE": { value: "write" },
      "-I ARCHIVE": { value: "read" },
      "--rsh-command COMMAND": { value: "command" },
      ...plain(
        "-d --make-directories, -m --preserve-modification-time, -u --unconditional, -v --verbose, -V --dot, -H --format FORMAT, -0 --null, -a --reset-access-time, -c, -B, -C --io-size N, -f --nonmatching, -E --pattern-file FILE, -l --link, -L --dereference, -r --rename, -R --owner OWNER, -s, -S, --no-absolute-filenames, --no-preserve-owner, --quiet",
      ),
    },
    examples: { "cpio -idmv < in.cpio": { reads: ["in.cpio"], writes: ["."] } },
  },
  {
    names: ["ar", "gar", "llvm-ar", "ranlib"],
    syntax: "none",
    operands: ["text", "edit", "read..."],
    examples: { "ar rcs lib.a x.o": { writes: ["lib.a"], reads: ["lib.a", "x.o"] } },
  },
  {
    names: ["jar"],
    syntax: "tar",
    operands: ["read..."],
    options: {
      "-c --create": { turns: { archive: "write" } },
      "-u --update": { turns: { archive: "edit" } },
      "-x --extract": { turns: { archive: "read" }, operands: ["text..."], writes: ["."] },
      "-t --list": { turns: { archive: "read" }, operands: ["text..."] },
      "-f --file FILE": { value: "archive" },
      "-m --manifest FILE": { value: "read" },
      "-C DIR": {},
      ...plain("-v --verbose, -e --main-class NAME, -0 --no-compress, -M --no-manifest, -i --generate-index FILE"),
    },
    examples: { "jar cf app.jar classes": { writes: ["app.jar"], reads: ["classes"] } },
  },
  {
    names: ["asar"],
    subcommands: {
      "extract e": { operands: ["read", "write"] },
      "pack p": { operands: ["read", "write"] },
      "list l": { operands: ["read"] },
    },
    examples: { "asar extract app.asar out": { reads: ["app.asar"], writes: ["out"] } },
  },
  {
    names: ["dpkg-deb", "rpm2cpio", "mksquashfs", "unsquashfs"],
    operands: ["read", "write?"],
    options: plain("-x --extract, -b --build, -c --contents, -I --info, -f --field, -e --control, -d DIR"),
    examples: { "dpkg-deb -x a.deb out": { reads: ["a.deb"], writes: ["out"] } },
  },
];
