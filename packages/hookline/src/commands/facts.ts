/** Where data or code comes from. */
export type Source = "literal" | "file" | "network" | "decoded" | "secret" | "unknown";

/** One origin of what a command reads, sends or runs. */
export interface Flow {
  readonly from: Source;
  /** The file, for `file`. */
  readonly path?: PathFact;
  /** The host, for `network`. */
  readonly host?: string;
  /** The data itself, where the text of the command says it. */
  readonly text?: string;
  /** Why it is not known, for `unknown`. */
  readonly why?: string;
}

/**
 * A path that a command touches. It is absolute; if the folder of the call is not known, it is relative to that folder (`.`, `src/a`, `../b`).
 *
 * With `glob` or `unknown`, `path` is a pattern: `*` stands for any text without a slash, `?` for one character, `[…]` for one of these, `**` for
 * any text at all, and `\` takes the next character literally.
 */
export interface PathFact {
  readonly path: string;
  /** The path covers everything that this pattern could match. */
  readonly glob?: true;
  /** Why a part of it is not known. The path is one that the pattern could match. */
  readonly unknown?: string;
  /** A new folder or file that the same text has made, with a name that was free: what `mktemp` prints. */
  readonly made?: true;
  /** If it is a folder, everything below goes with it, also where `recursive` is false: what `mv` moves. */
  readonly tree?: true;
}

/** One word of a command, as the shell passes it on. */
export interface ArgFact {
  /** A part that is not known stands here as it was written: `/tmp/$X`. */
  readonly text: string;
  /** Why a part of it is not known. */
  readonly unknown?: string;
}

/** One option that a command has. */
export interface OptionFact {
  /** Its long name if the program has one for it (`--recursive` for `-r`), otherwise as it was written. */
  readonly name: string;
  readonly value?: ArgFact;
}

/** What a `git` command does. */
export interface GitFact {
  readonly verb: string;
  readonly options: readonly OptionFact[];
  readonly paths: readonly string[];
  readonly remote?: string;
  readonly refspecs: readonly string[];
}

/** One statement that a database client is given. */
export interface SqlFact {
  /** In lower case: `drop`, `delete`, `select`. */
  readonly verb: string;
  /** In lower case: `table users`, `users`, `database`. */
  readonly target: string;
  /** Whether a `where` limits it. */
  readonly where: boolean;
}

/** What a command destroys that is not a file. */
export type Destroyed =
  /** It stops or restarts the machine, or ends every process. */
  | "machine"
  /** What a disk, partition or volume of the machine holds. */
  | "disk"
  /** Tables, databases, keys or what a migration wipes. */
  | "database"
  /** Containers with their data, volumes, or images. */
  | "container"
  /** Resources of a cloud, a cluster or a service. */
  | "infrastructure"
  | "backup"
  /** Keys and secrets in a store of secrets. */
  | "secret"
  /** A repository on a server, its releases or settings. */
  | "repository"
  /** A published package. */
  | "package"
  /** The guards of an agent: it starts an agent without its hooks, or operates Hookline. */
  | "guards";

/** The names of facts that a command can leave unknown. */
export type FactName = Exclude<keyof CommandFact, "unknown" | "via" | "privileged" | "doubt">;

/** What one simple command does, however deeply it is nested. */
export interface CommandFact {
  /** The program's base name. Empty if it is not known. */
  readonly program: string;
  /** The name that programs share which replace each other: `docker` for podman. Otherwise `program`. */
  readonly family: string;
  /** The words after the program. */
  readonly args: readonly ArgFact[];
  readonly options: readonly OptionFact[];
  /** The words that are neither options nor values of options. */
  readonly operands: readonly ArgFact[];
  /** The wrappers that were looked through, the outermost first. */
  readonly via: readonly string[];
  /** Whether sudo, doas or pkexec runs it. */
  readonly privileged: boolean;
  /** The folder it runs in. */
  readonly dir: PathFact;
  readonly reads: readonly PathFact[];
  /**
   * Files whose variables a program gets, such as `.env` of `node --env-file=.env` and of `source .env`: to use them is not to show them. A
   * command that prints or sends such variables afterwards reads the file.
   */
  readonly loads: readonly PathFact[];
  readonly writes: readonly PathFact[];
  /** Those of them that a redirection writes, whatever the program does. */
  readonly redirects: readonly PathFact[];
  readonly deletes: readonly PathFact[];
  /** Whose permissions, owners or times change. */
  readonly changes: readonly PathFact[];
  /** Whether the deletion or change descends into subfolders. */
  readonly recursive: boolean;
  readonly hosts: readonly string[];
  /** What leaves the machine. */
  readonly sends: readonly Flow[];
  /** Whether something arrives from a host. */
  readonly receives: boolean;
  /** Where its input comes from. Empty if it has no input of its own. */
  readonly stdin: readonly Flow[];
  /** Where the code that it executes comes from. Empty for a program that runs only itself. */
  readonly runs: readonly Flow[];
  readonly git?: GitFact;
  /** The subcommand, such as `delete`, `volume rm` or `compute instances delete`. Empty if there is none. */
  readonly verb: string;
  /** What the subcommand acts on, such as `namespace`, `prod`. */
  readonly target: readonly string[];
  readonly sql: readonly SqlFact[];
  /** What it destroys that is not a file. */
  readonly destroys: readonly Destroyed[];
  /** Whether it is a function of the same text that starts itself again: a fork bomb. */
  readonly forks: boolean;
  /** Why it is not certain that the command runs, or that it runs like this: the text around it does not parse. */
  readonly doubt?: string;
  /** Why a fact is not fully known. What is known stands in the fact itself; there may be more, or it may be something else. */
  readonly unknown: { readonly [name in FactName]?: string };
}
