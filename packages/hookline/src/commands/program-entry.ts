import type { CommandFact, Destroyed } from "./facts.js";

/**
 * What a value of an option, or an operand, means to its program.
 *
 * | Role | Meaning |
 * |---|---|
 * | `text` | nothing that a fact describes |
 * | `read`, `write`, `delete`, `change` | a path that is read, written, deleted, or whose permissions, owner or times change |
 * | `load` | a file whose variables the program gets, or the command that it runs |
 * | `disk` | a path that is written. A device loses what it holds. If the path is not known, it may be a disk |
 * | `edit` | a path that is read and written |
 * | `move` | a path that is read and deleted |
 * | `folder` | a folder that is written. The files of `url-file` and of other options are in it |
 * | `into` | a path that is written. If it is a folder, a file in it gets the name of each operand that is read or moved |
 * | `mirror` | like `copy-to`, and what the others do not have is deleted there |
 * | `archive` | a path that is read, unless an option turns it into another role |
 * | `dir` | the folder the command runs in |
 * | `host` | a host, also as `user@host` or `host:port` |
 * | `rerouted` | `name:port:address` or `host:port:host:port`: the program talks to the last host |
 * | `url` | an address; the program talks to its host |
 * | `url-file` | an address, and the program writes a file with the last part of its path as a name |
 * | `clone` | an address or a path of a repository, which is written into a folder with the last part of its path as a name, unless an operand follows |
 * | `copy` | a path that is read or, as `host:path`, received |
 * | `copy-to` | a path that is written or, as `host:path`, a host that gets what the other operands name |
 * | `send` | text that leaves the machine |
 * | `send-file` | a file that leaves the machine |
 * | `send-named` | like `send-at`, and `name@file` too |
 * | `pattern` | what a program looks for in folders; without it, it finds everything |
 * | `send-at` | text that leaves the machine, or with a leading `@` a file; `name=@file` and `name=<file` too |
 * | `script` | text that a shell runs |
 * | `script-words` | this operand and all after it are joined to a text that a shell runs |
 * | `command` | this operand and all after it are a command. In a value: the value is a command's text, split at spaces |
 * | `command-end` | like `command`, up to a word `;` or `+`, as in `find -exec` |
 * | `code` | code in the program's own language |
 * | `run` | a file whose code runs |
 * | `served` | text that a shell runs with input from the network |
 * | `package` | this operand and all after it are a command, whose name may have a scope and a version: `@scope/name@1` |
 * | `module` | in a value: it and all operands are a command |
 * | `setting` | `name=value`, `name:value` or `name value`: `settings` says what the value means |
 * | `http-item` | a method, an address, or `name=value`, `name@file` (httpie) |
 * | `typed` | this operand and all after it are typed into a shell; `Enter` ends a line (tmux) |
 * | `mounted` | `path:place`: a path that is read and written, or with `:ro` read (docker) |
 * | `container-path` | a path that is written, unless it is `container:path` |
 * | `git-object` | `commit:path` reads a path |
 * | `git-alias` | text that a shell runs if it begins with `!`, otherwise a git command |
 * | `verb` | the subcommand in facts |
 * | `sql` | statements for a database |
 * | `sql-file` | a file with statements for a database |
 * | `signalled` | the words of `kill`: a signal, and processes. `-1` after the signal stands for every process |
 * | `assignment` | `NAME=value` words before a command, as for env and sudo; other words are not this operand |
 * | `remote`, `refspec`, `ref`, `pathspec` | for git |
 * | `target` | what a subcommand acts on |
 * | `unknown` | the program does something with it that no fact describes and that may be anything |
 */
export type Role =
  | "text"
  | "read"
  | "write"
  | "delete"
  | "change"
  | "load"
  | "disk"
  | "edit"
  | "folder"
  | "move"
  | "into"
  | "mirror"
  | "archive"
  | "dir"
  | "host"
  | "rerouted"
  | "url"
  | "url-file"
  | "clone"
  | "copy"
  | "copy-to"
  | "send"
  | "send-file"
  | "send-at"
  | "send-named"
  | "pattern"
  | "script"
  | "script-words"
  | "command"
  | "command-end"
  | "code"
  | "run"
  | "served"
  | "package"
  | "module"
  | "setting"
  | "http-item"
  | "typed"
  | "mounted"
  | "container-path"
  | "git-object"
  | "git-alias"
  | "verb"
  | "sql"
  | "sql-file"
  | "signalled"
  | "assignment"
  | "remote"
  | "refspec"
  | "ref"
  | "pathspec"
  | "target"
  | "unknown";

/** A role, for one operand, for any number of them (`...`), or for one that may be missing (`?`). At most one role of a list has `...`. */
export type OperandRole = Role | `${Role}...` | `${Role}?`;

/** What a program writes to its standard output: what it is made of. */
type Prints =
  /** Nothing that depends on data. */
  | "nothing"
  /** Its input. */
  | "stdin"
  /** The files it reads, or its input if it reads none. */
  | "files"
  /** Its operands. */
  | "args"
  /** Names of files below its folder. */
  | "names"
  /** A name, a number or several, none of which begins with a dash: branches, processes, containers. */
  | "name"
  /** Code that sets up a shell for the program, which `eval` runs. */
  | "setup"
  | "network"
  /** Its files or its input, decoded. */
  | "decoded"
  /** Secrets, such as the environment. */
  | "secret"
  | "unknown";

/** What an option, or the program as a whole, does besides what its values and operands mean. */
export interface Effect {
  /** The meaning of the operands, in order. An option's list replaces the program's. */
  readonly operands?: readonly OperandRole[];
  /** It deletes or changes subfolders too. `false` on an option: it no longer does. */
  readonly recursive?: boolean;
  /** Something arrives from a host. */
  readonly receives?: boolean;
  /** What leaves the machine: the program's input, or something that cannot be known. */
  readonly sends?: "stdin" | "unknown" | "nothing";
  readonly prints?: Prints;
  /**
   * Whether the program runs its input as code if no code, script or file to run is given, reads it as data, or ignores it. `lines`: each line has
   * the words of another call.
   */
  readonly stdin?: "run" | "script" | "read" | "none" | "sql" | "lines";
  readonly privileged?: boolean;
  /** The command that it runs gets the words of its input (xargs). */
  readonly takesInput?: boolean;
  /** A command in one word is text for a shell (parallel). */
  readonly viaShell?: boolean;
  /** It goes through folders: its operands are where it starts. `{}` in the command that it runs stands for what it finds. */
  readonly finds?: boolean;
  /** On an option `nothing` says that the command destroys nothing, whatever else says so. */
  readonly destroys?: Destroyed | "nothing";
  /** It only shows what it would do: nothing is written, deleted, changed, destroyed or sent. */
  readonly isDryRun?: boolean;
  /** What it writes are links to what it reads. */
  readonly links?: boolean;
  /** What it writes are folders, and their files come from what it reads or receives. */
  readonly unpacks?: boolean;
  /** Operands, and values of other options, with the first role have the second one instead. */
  readonly turns?: { readonly [role in Role]?: Role };
  /** The first operand with this role is not given. */
  readonly drops?: Role;
  /** The meaning of a `setting` by its name in lower case. Names with the same meaning stand together, and `*` ends a name. */
  readonly settings?: { readonly [names: string]: Role };
  /** Paths it touches that no word names: `~/.ssh/known_hosts`, `.`. Written as in a shell. */
  readonly reads?: readonly string[];
  readonly writes?: readonly string[];
  readonly deletes?: readonly string[];
  readonly changes?: readonly string[];
}

/** What one option means. */
export interface OptionEffect extends Effect {
  /** What its value means. Default `text`. */
  readonly value?: Role;
  /** What certain values do besides: `--dry-run=none`. `*` stands for any text. */
  readonly values?: { readonly [value: string]: Effect };
  /** If the next word is empty, it is its value: `sed -i ''` of BSD. */
  readonly takesEmpty?: boolean;
  /** The words after the option (and its value) are operands. */
  readonly last?: boolean;
  /** With `finds`: it leaves only some files, by a pattern for their names, by a number of levels, only empty ones, or in another way. */
  readonly narrows?: "name" | "depth" | "empty" | "other";
  /** With `finds`: what is found is deleted. */
  readonly deletesFound?: boolean;
  /** Its value stands in the inner command for the words that are read (`xargs -I`). */
  readonly placeholder?: boolean;
}

/**
 * Options by their spellings: `"-r -R --recursive"`. A word in capitals says that it takes a value (`"-o --output FILE"`), and one in brackets
 * that the value is optional and attached (`"--color [WHEN]"`, `"-i --in-place [SUFFIX]"`). Two words in capitals are two values (`"--arg NAME VALUE"`). The name in facts is the first long one, or the first.
 */
export interface OptionTable {
  readonly [spellings: string]: OptionEffect;
}

/** How a program reads its words. */
export type Syntax =
  /** Options anywhere, `-rf` is `-r -f`, long options may be abbreviated. The default. */
  | "gnu"
  /** As `gnu`, but the first operand ends the options. The default with a `command`, `script-words` or `run` operand. */
  | "posix"
  /** `-name value`: a dash and a whole word, and never letters that stand together (find, java, terraform). Two dashes are the same option. */
  | "words"
  /** As `words`, and only what stands before the first option is an operand. */
  | "find"
  /** As `gnu`, but the first word is a group of letters also without a dash (tar). */
  | "tar"
  /** `name=value` (dd). */
  | "assignments"
  /** No options: every word is an operand (echo, test, true). */
  | "none";

/** A subcommand, or the program itself. */
export interface CommandEntry extends Effect {
  readonly options?: OptionTable;
  readonly syntax?: Syntax;
  /**
   * The next operand names one of these. Names of the same subcommand stand together, and the first is its name in facts (`"rm remove"`);
   * subcommands with the same entry are separated by commas (`"list, show"`). `*` ends a name that stands for several.
   */
  readonly subcommands?: { readonly [names: string]: CommandEntry };
  /** How many operands name the subcommand if `subcommands` does not list it. Default 1 with `subcommands`, otherwise 0. */
  readonly verbWords?: number;
  /** Operands up to the first of these words name the subcommand: `compute instances delete`. */
  readonly verbs?: { readonly [names: string]: CommandEntry };
}

/** The knowledge about one program, and about others that take such words. */
export interface ProgramEntry extends CommandEntry {
  /** Base names of the program, and of those that replace it (`podman` for docker). The first is their family. */
  readonly names: readonly [string, ...string[]];
  /** Other programs of which the entry says as much. Each is a family of its own. */
  readonly also?: readonly string[];
  /**
   * The program runs another command, so an option that is not in its table makes the command unknown: it could take the next word or not.
   * It appears in `via`.
   */
  readonly wrapper?: boolean;
  /** It is a file that an interpreter runs, and its words mean the same then: `python manage.py flush`. */
  readonly isScript?: boolean;
  /** The language of `code`, which says what in a literal code runs commands or touches files. */
  readonly language?:
    | "mongo"
    | "shell"
    | "ex"
    | "python"
    | "javascript"
    | "perl"
    | "ruby"
    | "php"
    | "awk"
    | "sed"
    | "lua"
    | "gdb"
    | "tcl"
    | "r"
    | "applescript"
    | "other";
  /** Tests: a command, and what its facts must contain. Paths: `a` is in the folder of the call, `~/a` in the home folder. */
  readonly examples: { readonly [command: string]: Expected };
}

/** What an example's facts contain. For each fact the whole list is given. `count`: the number of commands found. */
export interface Expected {
  readonly program?: string;
  readonly verb?: string;
  readonly target?: readonly string[];
  readonly options?: readonly string[];
  readonly operands?: readonly string[];
  readonly via?: readonly string[];
  readonly privileged?: boolean;
  readonly dir?: string;
  readonly reads?: readonly string[];
  readonly loads?: readonly string[];
  readonly writes?: readonly string[];
  readonly deletes?: readonly string[];
  readonly changes?: readonly string[];
  readonly recursive?: boolean;
  readonly hosts?: readonly string[];
  readonly sends?: readonly string[];
  readonly receives?: boolean;
  readonly stdin?: readonly string[];
  readonly runs?: readonly string[];
  readonly sql?: readonly string[];
  readonly destroys?: readonly Destroyed[];
  readonly git?: {
    readonly verb?: string;
    readonly paths?: readonly string[];
    readonly remote?: string;
    readonly refspecs?: readonly string[];
  };
  /** The facts that are not known. */
  readonly unknown?: readonly (keyof CommandFact["unknown"])[];
}
