import type { QuietHours } from "../notify/quiet-hours.js";
import type { Rule, RuleExample } from "../rules/rule.js";
import type { ConfigProblem } from "./problem.js";

/** The content of `hookline.toml`, checked, with defaults filled in and absolute paths. */
export interface Config {
  readonly hub: HubConfig;
  readonly sinks: readonly SinkConfig[];
  readonly notify: readonly NotifyConfig[];
  readonly hooks: readonly HookConfig[];
  readonly rules: readonly RuleConfig[];
  readonly redact: { readonly paths: readonly string[] };
  readonly retention: { readonly maxAgeMs?: number; readonly maxBytes?: number };
  /** What models cost, before the table that Hookline has. */
  readonly prices: readonly PriceConfig[];
  /** Which revisions of MCP the gateways let a client and a server speak. */
  readonly mcp: { readonly eras?: "any" | "modern" };
  readonly fleet: FleetConfig;
  readonly policy: PolicyConfig;
  /** Invalid guards. What they would have guarded is denied until they are fixed. */
  readonly broken: readonly BrokenGuard[];
}

/** An entry of `[prices]`, in US dollars per million tokens. */
export interface PriceConfig {
  /** Its name, or a pattern such as `gpt-5*`. */
  readonly model: string;
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

interface PolicyConfig {
  /** New and changed hooks run without acceptance, and no change waits. */
  readonly autoAccept?: "all";
  /** The folder, file or https URL from which signed bundles come. */
  readonly from?: string;
  /** The keys of their signers, in base64 or as fingerprints. */
  readonly keys?: readonly string[];
  readonly channel?: string;
  /** What applies when the bundle has expired or its source is out of reach for `maxAge`. */
  readonly onStale?: "keep" | "tighten" | "closed";
  readonly maxAgeMs?: number;
}

/** The result of reading a file. Without a `config` nothing in it could be read, and no hub starts with it. */
export interface LoadedConfig {
  readonly path: string;
  readonly config: Config | undefined;
  readonly problems: readonly ConfigProblem[];
  /** Possible errors that cannot be verified here. The entries are used unchanged. */
  readonly warnings: readonly ConfigProblem[];
}

interface HubConfig {
  readonly port?: number;
  readonly host?: string;
  /** The folder of the store. */
  readonly data?: string;
  /** How long a call waits for a person before it is denied. */
  readonly askTimeoutMs?: number;
  /** Whether calls may be approved over the network, if `host` is not loopback. */
  readonly remoteApprovals?: boolean;
  /** The dashboard's public origin, behind a proxy with TLS. */
  readonly publicUrl?: string;
}

/** How a proxy names the people at a fleet hub's dashboard. */
export interface FleetConfig {
  /** The header in which a proxy names the person. */
  readonly personHeader?: string;
  /** The one address that may send it. */
  readonly proxy?: string;
  /** The user that the proxy runs as, if it runs on this machine. */
  readonly proxyUser?: number;
}

/** Text that may be stored outside the file. */
export type SecretText = string | { readonly env: string } | { readonly file: string };

/** The options of every sink. */
export interface FeedConfig {
  readonly name: string;
  /** Names and patterns. Default: all events. */
  readonly events?: readonly string[];
  /** The paths of `[redact]` and those of the sink. */
  readonly redact: readonly string[];
  readonly redactSecrets: boolean;
  readonly maxPayloadBytes: number;
  /** Where a new sink begins. */
  readonly from: "start" | "end";
  /** How long the sink may take for a batch. */
  readonly timeoutMs: number;
  readonly batch: { readonly maxCount: number; readonly maxBytes: number; readonly maxDelayMs: number };
  /** `maxAttempts` is infinite by default. */
  readonly retry: { readonly maxAttempts: number; readonly baseMs: number; readonly maxMs: number; readonly maxAfterMs: number };
}

/** A `[[sink]]` table: its delivery, and the options of its type, whose secrets are not read yet. */
export interface SinkConfig extends FeedConfig {
  readonly type: string;
  readonly options: { readonly [option: string]: unknown };
}

/** A `[[notify]]` table: whom to tell of what, and when. */
export interface NotifyConfig {
  readonly name: string;
  readonly type: string;
  /** Whether it tells of calls that wait for a person. */
  readonly approvals: boolean;
  /** Other events that it tells of. */
  readonly events: readonly string[];
  /** A question is told here if it is still unanswered after this time. */
  readonly afterMs: number;
  /** Events are gathered for this long, and told in one message. */
  readonly digestMs: number;
  readonly quietHours?: QuietHours;
  /** The paths of `[redact]` and its own. */
  readonly redact: readonly string[];
  /** The options of its type, whose secrets are not read yet. */
  readonly options: { readonly [option: string]: unknown };
}

/** A `[[hook]]` table: its program or URL, and its events. */
export type HookConfig = ModuleHookConfig | CommandHookConfig | UrlHookConfig | ExtensionHookConfig;

interface HookPlace {
  readonly name: string;
  /** `false` disables it. */
  readonly enabled?: boolean;
  /** The file and line of the entry. */
  readonly file: string;
  readonly line: number;
}

interface AnsweringHook extends HookPlace {
  /** Names in any spelling, and patterns. */
  readonly events: readonly string[];
  readonly match?: string;
  readonly tool?: string | readonly string[];
  readonly priority?: number;
  readonly stage?: "rewrite" | "guard" | "observe";
  readonly timeoutMs?: number;
  readonly onFailure?: "open" | "closed";
  readonly description?: string;
  /** What it must deny; `hookline selftest` sends it. */
  readonly canary?: RuleExample;
}

export interface ModuleHookConfig extends AnsweringHook {
  readonly kind: "module";
  /** The module's path. */
  readonly module: string;
  readonly export: string;
}

export interface CommandHookConfig extends AnsweringHook {
  readonly kind: "command";
  readonly command: string;
  readonly args?: readonly string[];
  readonly shell?: boolean;
  readonly dialect?: DialectName;
  /** An absolute path, or `"event"`. */
  readonly cwd?: string;
  readonly env?: readonly string[];
  readonly setEnv?: { readonly [name: string]: string };
}

export interface UrlHookConfig extends AnsweringHook {
  readonly kind: "url";
  readonly url: SecretText;
  readonly headers?: { readonly [name: string]: SecretText };
  readonly dialect?: DialectName;
}

/** A folder with a manifest, which names its events. */
export interface ExtensionHookConfig extends HookPlace {
  readonly kind: "extension";
  readonly folder: string;
  /** Whether the file names it. Otherwise its manifest may. */
  readonly isNamed?: true;
  /** Its settings. */
  readonly config?: { readonly [key: string]: unknown };
}

/** A `[[rule]]` table. */
export type RuleConfig = Rule & { readonly file: string; readonly line: number };

/** A `[[hook]]` or `[[rule]]` that cannot be used and that may have been meant to stop something. */
export interface BrokenGuard {
  readonly kind: "rule" | "hook";
  readonly name: string;
  /** What it would have guarded. */
  readonly events: readonly string[];
  /** It is unreadable, so it counts as a guard of tool calls. */
  readonly isAssumed?: true;
  readonly tool?: string | readonly string[];
  /** The file, or the folder of a hook. */
  readonly file: string;
  readonly line?: number;
  /** The entry of `hookline.toml`, such as `rule[3]`, as problems name it too. */
  readonly entry?: string;
}

export const emptyConfig: Config = {
  hub: {},
  sinks: [],
  notify: [],
  hooks: [],
  rules: [],
  redact: { paths: [] },
  retention: {},
  prices: [],
  mcp: {},
  fleet: {},
  policy: {},
  broken: [],
};

/** The dialects of commands and URLs; `extensions/command/dialects` has a file for each. */
export const dialectNames = ["own", "claude-code", "hermes", "codewhale", "harn"] as const;
export type DialectName = (typeof dialectNames)[number];
