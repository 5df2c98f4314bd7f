import type { OptionTable, ProgramEntry } from "../program-entry.js";
import { plain } from "./plain-options.js";

const backup: OptionTable = plain("-b, --backup [CONTROL], -S --suffix SUFFIX, -v --verbose, -Z --context [CTX], --help, --version");
const onePass: OptionTable = plain(
  "-H, -L, -P, -c --changes, -f --silent --quiet, -v --verbose, --dereference, -h --no-dereference, --preserve-root, --no-preserve-root, --help, --version",
);

/** Programs that delete, copy, move and create files, and those that change whose they are. */
export const filePrograms: readonly ProgramEntry[] = [
  {
    names: ["rimraf"],
    also: ["del-cli", "rimraf-cli"],
    operands: ["delete..."],
    recursive: true,
    options: plain(
      "-g --glob, -G --no-glob, -v --verbose, -i --interactive, --impl TYPE, --preserve-root, --no-preserve-root, -f --force, --dry-run",
    ),
    examples: { "npx rimraf@5 dist": { program: "rimraf", deletes: ["dist"], recursive: true } },
  },
  {
    names: ["rm", "grm"],
    operands: ["delete..."],
    options: {
      "-r -R --recursive": { recursive: true },
      ...plain(
        "-f --force, -i, -I, --interactive [WHEN], -d --dir, -v --verbose, -x --one-file-system, -P, -W, --no-preserve-root, --preserve-root [ALL], --help, --version",
      ),
    },
    examples: {
      "rm a b": { deletes: ["a", "b"], recursive: false },
      "rm -fr -- build ../../out": { deletes: ["build", "/home/out"], recursive: true },
      "rm --recur ~/x": { deletes: ["~/x"], recursive: true, options: ["--recursive"] },
      "grm -R /opt/x": { program: "grm", deletes: ["/opt/x"], recursive: true },
    },
  },
  {
    names: ["rmdir", "grmdir"],
    operands: ["delete..."],
    options: plain("-p --parents, -v --verbose, --ignore-fail-on-non-empty, --help, --version"),
    examples: { "rmdir -p a/b": { deletes: ["a/b"], recursive: false } },
  },
  { names: ["unlink"], operands: ["delete"], examples: { "unlink a": { deletes: ["a"] } } },
  {
    names: ["shred", "gshred"],
    operands: ["edit..."],
    options: {
      "-u --remove [HOW]": { turns: { edit: "delete" } },
      ...plain(
        "-f --force, -n --iterations NUM, --random-source FILE, -s --size NUM, -v --verbose, -x --exact, -z --zero, --help, --version",
      ),
    },
    examples: {
      "shred -n 3 -z /dev/sdq": { writes: ["/dev/sdq"], deletes: [] },
      "shred -uz old.key": { deletes: ["old.key"] },
    },
  },
  {
    names: ["srm"],
    also: ["wipe"],
    operands: ["delete..."],
    options: {
      "-r -R --recursive": { recursive: true },
      ...plain(
        "-f --force, -s --simple, -m --medium, -z --zero, -n --nounlink, -v --verbose, -l, -q --quick, -i, -k, -c, -Q NUM, -x, -d --drive",
      ),
    },
    examples: { "srm -rf ~/tmp": { deletes: ["~/tmp"], recursive: true } },
  },
  {
    names: ["trash", "trash-put", "gio-trash", "rmtrash"],
    operands: ["delete..."],
    recursive: true,
    options: plain("-f --force, -i --interactive, -r -R --recursive, -d --directory, -v --verbose, -F, --trash-dir DIR"),
    examples: { "trash-put -v notes.txt": { deletes: ["notes.txt"] } },
  },
  {
    names: ["trash-empty"],
    deletes: ["~/.local/share/Trash"],
    recursive: true,
    options: plain("-f, -i, -v --verbose, --trash-dir DIR, --all-users, --dry-run"),
    examples: { "trash-empty -f": { deletes: ["~/.local/share/Trash"] } },
  },
  {
    names: ["cp", "gcp"],
    operands: ["read...", "into"],
    options: {
      "-t --target-directory DIR": { value: "into", drops: "into" },
      ...backup,
      ...plain(
        "-a --archive, --attributes-only, --copy-contents, -d, -f --force, -i --interactive, -H, -l --link, -L --dereference, -n --no-clobber, -P --no-dereference, -p, --preserve [LIST], --no-preserve LIST, --parents, -R -r --recursive, --reflink [WHEN], --remove-destination, --sparse WHEN, --strip-trailing-slashes, -s --symbolic-link, -T --no-target-directory, -u --update [HOW], -x --one-file-system, -c, -X, -N, --keep-directory-symlink, --debug",
      ),
    },
    examples: {
      "cp a b": { reads: ["a"], writes: ["b", "b/a"] },
      "cp -r src/x lib ~/dst": { reads: ["src/x", "lib"], writes: ["~/dst", "~/dst/x", "~/dst/lib"] },
      "cp -t /opt/dst a": { reads: ["a"], writes: ["/opt/dst", "/opt/dst/a"] },
      "cp --no-preserve mode a b": { reads: ["a"], writes: ["b", "b/a"] },
    },
  },
  {
    names: ["mv", "gmv"],
    operands: ["move...", "into"],
    options: {
      "-t --target-directory DIR": { value: "into", drops: "into" },
      ...backup,
      ...plain(
        "-f --force, -i --interactive, -n --no-clobber, --strip-trailing-slashes, -T --no-target-directory, -u --update [HOW], -h, --exchange, --no-copy, --debug",
      ),
    },
    examples: {
      "mv a ~/b": { reads: ["a"], deletes: ["a"], writes: ["~/b", "~/b/a"], recursive: false },
      "mv -t out a b": { deletes: ["a", "b"], writes: ["out", "out/a", "out/b"] },
    },
  },
  {
    names: ["ln", "gln", "link"],
    operands: ["read...", "into"],
    links: true,
    options: {
      "-t --target-directory DIR": { value: "into", drops: "into" },
      ...backup,
      ...plain(
        "-d -F --directory, -f --force, -i --interactive, -L --logical, -n --no-dereference, -P --physical, -r --relative, -s --symbolic, -T --no-target-directory, -h",
      ),
    },
    examples: {
      "ln -sf ../lib/x y": { writes: ["y", "y/x"] },
      "ln -s /srv/x y; rm -r y/": { program: "rm", deletes: ["y", "/srv/x"] },
      "ln -s /srv/x y; cd y && rm a": { program: "rm", deletes: ["y/a", "/srv/x/a"] },
      "ln -s /srv/x y; rm y": { program: "rm", deletes: ["y"] },
      "ln -s ~/.x/config note": { reads: ["~/.x/config"], writes: ["note", "note/config"] },
    },
  },
  {
    names: ["install", "ginstall"],
    operands: ["read...", "into"],
    options: {
      "-d --directory": { operands: ["write..."] },
      "-t --target-directory DIR": { value: "into", drops: "into" },
      ...backup,
      ...plain(
        "-C --compare, -c, -D, -g --group GROUP, -m --mode MODE, -o --owner OWNER, -p --preserve-timestamps, -s --strip, --strip-program PROGRAM, -T --no-target-directory, --preserve-context",
      ),
    },
    examples: {
      "install -m 0755 bin/tool /usr/local/bin": { reads: ["bin/tool"], writes: ["/usr/local/bin", "/usr/local/bin/tool"] },
      "install -d -m 700 ~/.x": { writes: ["~/.x"], reads: [] },
    },
  },
  {
    names: ["touch", "gtouch"],
    operands: ["write..."],
    options: plain(
      "-a, -c --no-create, -d --date TIME, -f, -h --no-dereference, -m, -r --reference FILE, -t STAMP, --time WORD, -A ADJUST",
    ),
    examples: { "touch -d yesterday a b": { writes: ["a", "b"] }, "touch -r ref x": { writes: ["x"] } },
  },
  {
    names: ["mkdir", "gmkdir"],
    operands: ["write..."],
    options: plain("-m --mode MODE, -p --parents, -v --verbose, -Z --context [CTX]"),
    examples: { "mkdir -p -m 700 a/b": { writes: ["a/b"] } },
  },
  {
    names: ["mkfifo"],
    also: ["mknod"],
    operands: ["write", "text..."],
    options: plain("-m --mode MODE, -Z"),
    examples: { "mkfifo -m 600 p": { writes: ["p"] } },
  },
  {
    names: ["mktemp", "gmktemp"],
    prints: "args",
    options: plain("-d --directory, -u --dry-run, -q --quiet, --suffix SUFFIX, -p --tmpdir [DIR], -t"),
    examples: { "mktemp -d": { writes: [] } },
  },
  {
    names: ["tee", "gtee"],
    operands: ["write..."],
    stdin: "read",
    prints: "stdin",
    options: plain("-a --append, -i --ignore-interrupts, -p, --output-error [MODE]"),
    examples: { "echo x | tee -a ~/log /opt/log": { writes: ["~/log", "/opt/log"], stdin: ["literal"] } },
  },
  {
    names: ["sponge"],
    operands: ["write?"],
    stdin: "read",
    prints: "stdin",
    options: plain("-a"),
    examples: { "sort a | sponge a": { writes: ["a"] } },
  },
  {
    names: ["dd", "gdd", "dcfldd"],
    syntax: "assignments",
    stdin: "read",
    prints: "files",
    options: {
      "if FILE": { value: "read" },
      "of FILE": { value: "disk" },
      ...plain("bs N, ibs N, obs N, cbs N, conv LIST, count N, iflag LIST, oflag LIST, seek N, skip N, status LEVEL, iseek N, oseek N"),
    },
    examples: {
      "dd if=disk.img of=/dev/sdq bs=4M": { reads: ["disk.img"], writes: ["/dev/sdq"] },
      "dd of=out.bin count=1 < in.bin": { reads: ["in.bin"], writes: ["out.bin"] },
    },
  },
  {
    names: ["truncate", "gtruncate"],
    operands: ["edit..."],
    options: plain("-c --no-create, -o --io-blocks, -r --reference FILE, -s --size SIZE"),
    examples: { "truncate -s 0 app.log": { writes: ["app.log"] }, "truncate -s0 /var/log/x": { writes: ["/var/log/x"] } },
  },
  {
    names: ["fallocate"],
    operands: ["edit"],
    options: plain(
      "-c --collapse-range, -d --dig-holes, -i --insert-range, -l --length N, -n --keep-size, -o --offset N, -p --punch-hole, -v --verbose, -x --posix, -z --zero-range",
    ),
    examples: { "fallocate -l 1G swap.img": { writes: ["swap.img"] } },
  },
  {
    names: ["split", "gsplit"],
    also: ["csplit"],
    operands: ["read", "text..."],
    stdin: "read",
    options: {
      "--filter COMMAND": { value: "script" },
      ...plain(
        "-a --suffix-length N, --additional-suffix SUFFIX, -b --bytes SIZE, -C --line-bytes SIZE, -d, --numeric-suffixes [FROM], -x, --hex-suffixes [FROM], -e --elide-empty-files, -l --lines N, -n --number CHUNKS, -t --separator SEP, -u --unbuffered, --verbose, -f --prefix PREFIX, -k --keep-files, -s --quiet, -z",
      ),
    },
    examples: { "split -l 100 big.csv part-": { reads: ["big.csv"] } },
  },
  {
    names: ["patch", "gpatch"],
    operands: ["edit?", "read?"],
    stdin: "read",
    options: {
      "-i --input FILE": { value: "read" },
      "-o --output FILE": { value: "write" },
      "-d --directory DIR": { value: "dir" },
      "-r --reject-file FILE": { value: "write" },
      ...plain(
        "-p --strip N, -R --reverse, -N --forward, -b --backup, -B --prefix PREFIX, -z --suffix SUFFIX, -F --fuzz N, -l --ignore-whitespace, -u --unified, -c --context, -e --ed, -n --normal, -E --remove-empty-files, -f --force, -t --batch, -s --silent --quiet, --verbose, --dry-run, --binary, --posix, --merge [STYLE], -V --version-control STYLE, -Y --basename-prefix PREFIX, -D --ifdef NAME, -g --get N, -Z --set-utc, -T --set-time, --no-backup-if-mismatch",
      ),
    },
    examples: {
      "patch -p1 notes.txt fix.diff": { reads: ["notes.txt", "fix.diff"], writes: ["notes.txt"] },
      "patch -p1 < fix.diff": { reads: ["fix.diff"] },
    },
  },
  {
    names: ["chmod", "gchmod"],
    operands: ["text", "change..."],
    options: {
      "-R --recursive": { recursive: true },
      "--reference FILE": { drops: "text" },
      ...onePass,
      "-r -w -x -s -t -X": { drops: "text" },
    },
    examples: {
      "chmod -R u+w src": { changes: ["src"], recursive: true },
      "chmod 755 a.sh b.sh": { changes: ["a.sh", "b.sh"], recursive: false },
      "chmod --reference a b": { changes: ["b"] },
      "chmod -x run.sh": { changes: ["run.sh"] },
    },
  },
  {
    names: ["setcap"],
    operands: ["text", "change..."],
    options: { "-r": { drops: "text" }, ...plain("-q, -v, -n ID, -f, -k") },
    examples: { "setcap cap_net_raw+ep tool": { changes: ["tool"] } },
  },
  {
    names: ["chown", "gchown"],
    also: ["chgrp", "gchgrp"],
    operands: ["text", "change..."],
    options: { "-R --recursive": { recursive: true }, "--reference FILE": { drops: "text" }, "--from OWNER": {}, ...onePass },
    examples: { "chown -R www:www site": { changes: ["site"], recursive: true }, "chgrp --reference=a b": { changes: ["b"] } },
  },
  {
    names: ["chattr"],
    syntax: "none",
    operands: ["text", "change..."],
    examples: { "chattr +i notes": { changes: ["notes"] } },
  },
  { names: ["lsattr"], also: ["getfacl", "getfattr"], operands: ["text..."], examples: { "lsattr a": { reads: [], changes: [] } } },
  {
    names: ["setfacl"],
    operands: ["change..."],
    options: {
      "-R --recursive": { recursive: true },
      ...plain(
        "-m --modify ACL, -x --remove ACL, -M --modify-file FILE, -X --remove-file FILE, -b --remove-all, -k --remove-default, -d --default, -n --no-mask, --mask, --set ACL, --set-file FILE, --restore FILE, --test, -L, -P",
      ),
    },
    examples: { "setfacl -R -m u:ann:rwX shared": { changes: ["shared"], recursive: true } },
  },
  {
    names: ["setfattr"],
    operands: ["change..."],
    options: plain("-n --name NAME, -v --value VALUE, -x --remove NAME, -h --no-dereference, --restore FILE"),
    examples: { "setfattr -n user.a -v b f": { changes: ["f"] } },
  },
  {
    names: ["ls", "gls"],
    also: [
      "dir",
      "vdir",
      "exa",
      "eza",
      "lsd",
      "stat",
      "gstat",
      "file",
      "du",
      "gdu",
      "df",
      "tree",
      "realpath",
      "readlink",
      "greadlink",
      "basename",
      "dirname",
      "pathchk",
      "lsof",
      "namei",
    ],
    operands: ["text..."],
    prints: "unknown",
    examples: { "ls -la ~/.ssh": { reads: [], program: "ls" }, "du -sh /var": { reads: [] }, "stat -c %s a": { reads: [] } },
  },
  {
    names: ["fswatch"],
    also: ["inotifywait"],
    operands: ["text..."],
    examples: { "inotifywait -m src": { reads: [] } },
  },
  {
    names: ["rename", "prename", "file-rename"],
    operands: ["code", "move..."],
    language: "perl",
    options: plain("-v --verbose, -n --no-act --nono, -f --force, -0 --null, -d --path, -e EXPR"),
    examples: { "rename 's/a/b/' a1 a2": { deletes: ["a1", "a2"] } },
  },
];
