import { join } from "node:path";
import { openFolder, replacePrivately } from "@hookline/core/internal/machine";
import { z } from "zod";
import { checkName, isName } from "../nats/subjects.js";
import { accountsText, serverText } from "./server-config.js";
import { createNkey, nkeyOf } from "./signing.js";
import { parseStored, readJson } from "./stored-json.js";
import { Tenant } from "./tenant.js";

const SERVER_FILE = "server.json";
const ACCOUNTS_FILE = "accounts.conf";
const CONFIG_FILE = "nats-server.conf";

const serverSchema = z.strictObject({
  urls: z.array(z.string()).min(1),
  listen: z.string(),
  replicas: z.number().int().min(1).max(5),
  /** The nkey of the server's own account, with which `fleet doctor` reads the server's settings. */
  systemSeed: z.string(),
  tls: z.strictObject({ cert: z.string(), key: z.string() }).exactOptional(),
  ca: z.string().exactOptional(),
  eventBytes: z.number().int().positive().exactOptional(),
  largeEventBytes: z.number().int().positive().exactOptional(),
  tenants: z.array(z.string().refine(isName)),
});
export type ServerFile = Readonly<z.output<typeof serverSchema>>;

export interface ServerChoice {
  readonly urls?: readonly string[];
  readonly listen?: string;
  readonly replicas?: number;
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly ca?: string;
  readonly eventBytes?: number;
  readonly largeEventBytes?: number;
}

/**
 * The admin's folder: root keys, rosters and the server's configuration. A process that can read it controls the fleet, so every file in it is private
 * to its owner.
 */
export class AdminFolder {
  readonly path: string;
  #server: ServerFile;

  private constructor(path: string, server: ServerFile) {
    this.path = path;
    this.#server = server;
  }

  /** The folder at this path; `undefined` if `fleet init` has not made one. Throws if it cannot be trusted or read. */
  static open(path: string): AdminFolder | undefined {
    const found = readJson(path, SERVER_FILE);
    return found === undefined ? undefined : new AdminFolder(path, parseStored(serverSchema, found, join(path, SERVER_FILE)));
  }

  /** Makes the folder, or changes the server's settings in an existing one. What is not chosen stays. */
  static make(path: string, choice: ServerChoice): AdminFolder {
    const before = AdminFolder.open(path)?.server;
    const listen = choice.listen ?? before?.listen ?? "127.0.0.1:4222";
    const scheme = (choice.tls ?? before?.tls) === undefined ? "nats" : "tls";
    const server: ServerFile = {
      replicas: 1,
      tenants: [],
      systemSeed: before?.systemSeed ?? createNkey().seed,
      ...before,
      ...definedOf(choice),
      listen,
      urls: [...(choice.urls ?? (choice.listen === undefined ? before?.urls : undefined) ?? [`${scheme}://${listen}`])],
    };
    const folder = new AdminFolder(openFolder(path), server);
    folder.#save();
    return folder;
  }

  get server(): ServerFile {
    return this.#server;
  }

  get systemNkey(): string {
    return nkeyOf(this.#server.systemSeed);
  }

  get configPath(): string {
    return join(this.path, CONFIG_FILE);
  }

  get accountsPath(): string {
    return join(this.path, ACCOUNTS_FILE);
  }

  get pidPath(): string {
    return join(this.path, "nats-server.pid");
  }

  /** The tenant; made with a root key of its own and this admin if it is new. */
  ensureTenant(name: string, admin: string): { readonly tenant: Tenant; readonly isNew: boolean } {
    checkName("tenant", name);
    const found = this.tenant(name);
    if (found !== undefined) return { tenant: found, isNew: false };
    const tenant = Tenant.make(this, name);
    this.#server = { ...this.#server, tenants: [...new Set([...this.#server.tenants, name])] };
    tenant.addPerson(admin, "admin");
    this.#save();
    return { tenant, isNew: true };
  }

  tenant(name: string): Tenant | undefined {
    return this.#server.tenants.includes(name) ? Tenant.open(this, name) : undefined;
  }

  get tenants(): readonly Tenant[] {
    return this.#server.tenants.flatMap((name) => this.tenant(name) ?? []);
  }

  /** Writes the configuration that the server reads: who may connect is in `accounts.conf`, which each server of a cluster needs. */
  writeConfig(): void {
    replacePrivately(this.path, ACCOUNTS_FILE, this.accounts());
    const { listen, tls } = this.#server;
    const text = serverText({ listen, tls, name: "hookline-1", storeDir: this.path, pidFile: this.pidPath }, this.#server.tenants.length);
    replacePrivately(this.path, CONFIG_FILE, `${text}include ${JSON.stringify(ACCOUNTS_FILE)}\n`);
  }

  accounts(): string {
    const tenants = this.tenants.map((tenant) => ({ tenant: tenant.name, users: tenant.users }));
    return accountsText(tenants, this.systemNkey);
  }

  #save(): void {
    replacePrivately(this.path, SERVER_FILE, `${JSON.stringify(this.#server, undefined, 2)}\n`);
    this.writeConfig();
  }
}

function definedOf<T extends object>(values: T): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>;
}
