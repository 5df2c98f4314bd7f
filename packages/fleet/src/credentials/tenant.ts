import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { HookError, openFolder, replacePrivately } from "@hookline/core/internal/machine";
import { z } from "zod";
import { checkName, isName, type Kind } from "../nats/subjects.js";
import { type Credential, parseCredential } from "./credential.js";
import { type Holder, ROLES, type Role } from "./permissions.js";
import { type Roster, type SignedRoster, signRoster, verifyRoster } from "./roster.js";
import { createNkey, createSigningKey, nkeyOf, publicKeyOf } from "./signing.js";
import { parseStored, readJson, readText } from "./stored-json.js";

const FLEET_ID_BYTES = 12;
const ROOT_FILE = "root-key.pem";
const TENANT_FILE = "tenant.json";
/** The folder of the credentials that people have not been given yet. */
const HAND_OVER = "hand-over";

/** The nkeys that the server lets in. The roster does not need them. */
const userSchema = z.strictObject({
  kind: z.enum(["host", "hub", "person"]),
  name: z.string().refine(isName),
  role: z.enum(ROLES).exactOptional(),
  nkey: z.string(),
});
type User = Readonly<z.output<typeof userSchema>>;

const tenantSchema = z.strictObject({
  fleet: z.string(),
  users: z.array(userSchema),
  signed: z.strictObject({ roster: z.string(), signature: z.string() }),
});

/** The roster without what is added when it is signed. */
type RosterChange = (roster: Pick<Roster, "people" | "hubs" | "hosts">) => Pick<Roster, "people" | "hubs" | "hosts">;

/** The admin's folder, as far as its tenants need it. */
export interface TenantHome {
  readonly path: string;
  readonly server: { readonly urls: readonly string[]; readonly ca?: string };
  writeConfig(): void;
}

/** One fleet: an account of the server with a root key and a roster of its own. */
export class Tenant {
  readonly name: string;
  readonly fleet: string;
  readonly #admin: TenantHome;
  readonly #folder: string;
  #users: readonly User[];
  #signed: SignedRoster;
  #roster: Roster;

  private constructor(admin: TenantHome, name: string, saved: z.output<typeof tenantSchema>, roster: Roster) {
    this.name = name;
    this.fleet = saved.fleet;
    this.#admin = admin;
    this.#folder = folderOf(admin, name);
    this.#users = saved.users;
    this.#signed = saved.signed;
    this.#roster = roster;
  }

  static make(admin: TenantHome, name: string): Tenant {
    const folder = openFolder(folderOf(admin, name));
    const fleet = randomBytes(FLEET_ID_BYTES).toString("hex");
    const rootKey = createSigningKey();
    replacePrivately(folder, ROOT_FILE, rootKey);
    const roster: Roster = { format: 1, fleet, serial: 1, at: new Date().toISOString(), people: [], hubs: [], hosts: [] };
    const tenant = new Tenant(admin, name, { fleet, users: [], signed: signRoster(roster, rootKey) }, roster);
    tenant.#save();
    return tenant;
  }

  static open(admin: TenantHome, name: string): Tenant {
    const folder = folderOf(admin, name);
    const saved = parseStored(tenantSchema, readJson(folder, TENANT_FILE), join(folder, TENANT_FILE));
    const { roster } = verifyRoster(saved.signed, { rootKey: publicKeyOf(readText(folder, ROOT_FILE)), fleet: saved.fleet });
    return new Tenant(admin, name, saved, roster);
  }

  get roster(): Roster {
    return this.#roster;
  }

  get signedRoster(): SignedRoster {
    return this.#signed;
  }

  get rootKey(): string {
    return publicKeyOf(readText(this.#folder, ROOT_FILE));
  }

  /** Those whom the server lets in. */
  get users(): readonly (Holder & { readonly nkey: string })[] {
    return this.#users.map(({ kind, name, role, nkey }) =>
      kind === "person" ? { kind, name, role: role ?? "view", nkey } : { kind, name, nkey },
    );
  }

  /** Adds a host, or gives one that exists a new key: its old credential stops working. */
  addHost(name: string, labels: { readonly [key: string]: string }): Credential {
    const credential = this.#credential({ kind: "host", name: checkName("host", name) }, { labels: { ...labels } });
    const entry = { name, labels: { ...labels } };
    this.#change((roster) => ({ ...roster, hosts: [...roster.hosts.filter((host) => host.name !== name), entry] }), credential);
    return credential;
  }

  addHub(name: string, vouches: boolean): Credential {
    const signingKey = createSigningKey();
    const credential = this.#credential({ kind: "hub", name: checkName("hub", name) }, { signingKey });
    const entry = { name, key: publicKeyOf(signingKey), vouches };
    this.#change((roster) => ({ ...roster, hubs: [...roster.hubs.filter((hub) => hub.name !== name), entry] }), credential);
    return credential;
  }

  /** Adds a person with new keys. Only an admin's stay in the folder: its commands use them. */
  addPerson(name: string, role: Role): Credential {
    const signingKey = createSigningKey();
    const credential = this.#credential({ kind: "person", name: checkName("person", name), role }, { signingKey });
    const entry = { name, role, key: publicKeyOf(signingKey), passkeys: [] };
    this.#change((roster) => ({ ...roster, people: [...roster.people.filter((person) => person.name !== name), entry] }), credential);
    if (role === "admin") replacePrivately(this.#folder, credentialFile(name), `${JSON.stringify(credential)}\n`);
    else this.#forget(name);
    return credential;
  }

  /** Adds a passkey of a person. Throws for a person who is not on the roster. */
  addPasskey(name: string, passkey: Roster["people"][number]["passkeys"][number]): void {
    if (!this.#roster.people.some((person) => person.name === name))
      throw new HookError("HL_FLEET_CREDENTIALS", `The fleet has no person "${name}".`, { fix: { run: "hookline fleet people" } });
    const other = this.#roster.people.find((person) => person.name !== name && person.passkeys.some(({ id }) => id === passkey.id));
    if (other !== undefined) throw new HookError("HL_FLEET_CREDENTIALS", `This passkey is ${other.name}'s already.`);
    this.#change((roster) => ({
      ...roster,
      people: roster.people.map((person) =>
        person.name === name
          ? { ...person, passkeys: [...person.passkeys.filter(({ id, rpId }) => id !== passkey.id || rpId !== passkey.rpId), passkey] }
          : person,
      ),
    }));
  }

  /** Takes the name off the roster and its key off the server. Whether there was one. */
  remove(kind: Kind, name: string): boolean {
    if (!this.#users.some((user) => user.kind === kind && user.name === name)) return false;
    if (kind === "person" && !this.#roster.people.some((person) => person.role === "admin" && person.name !== name))
      throw new HookError("HL_FLEET_CREDENTIALS", `${name} is the only admin of the fleet.`, {
        fix: "Add another admin first: hookline fleet people add <name> --role admin",
      });
    const others = <T extends { readonly name: string }>(list: readonly T[]): T[] => list.filter((entry) => entry.name !== name);
    this.#users = this.#users.filter((user) => user.kind !== kind || user.name !== name);
    this.#change((roster) => ({
      people: kind === "person" ? others(roster.people) : roster.people,
      hubs: kind === "hub" ? others(roster.hubs) : roster.hubs,
      hosts: kind === "host" ? others(roster.hosts) : roster.hosts,
    }));
    if (kind === "person") this.#forget(name);
    return true;
  }

  /** Keeps a person's credential until the admin has given it to them. Returns the path. */
  handOver(person: string, text: string): string {
    const folder = openFolder(join(this.#folder, HAND_OVER));
    replacePrivately(folder, handOverFile(person), text);
    return join(folder, handOverFile(person));
  }

  #forget(person: string): void {
    for (const file of [credentialFile(person), join(HAND_OVER, handOverFile(person))]) rmSync(join(this.#folder, file), { force: true });
  }

  /** The credential of an admin as this folder keeps it, with the server's address of today; `undefined` without one. */
  person(name: string): Credential | undefined {
    const path = credentialFile(name);
    const found = readJson(this.#folder, path);
    if (found === undefined) return undefined;
    const { ca: _, ...credential } = parseCredential(found, join(this.#folder, path));
    return { ...credential, ...this.#address };
  }

  get #address(): Pick<Credential, "urls" | "ca"> {
    const { urls, ca } = this.#admin.server;
    return { urls: [...urls], ...(ca !== undefined && { ca }) };
  }

  /** The first admin whose credential is in this folder. */
  get admin(): Credential | undefined {
    const admins = this.#roster.people.filter(({ role }) => role === "admin");
    return admins.map(({ name }) => this.person(name)).find((credential) => credential !== undefined);
  }

  /** Signs the roster again with the next serial. */
  #change(change: RosterChange, added?: Credential): void {
    const { people, hubs, hosts } = change(this.#roster);
    if (added !== undefined) {
      const { kind, name, role, seed } = added;
      const user = { kind, name, ...(role !== undefined && { role }), nkey: nkeyOf(seed) };
      this.#users = [...this.#users.filter((one) => one.kind !== kind || one.name !== name), user];
    }
    const { fleet, serial } = this.#roster;
    this.#roster = { format: 1, fleet, serial: serial + 1, at: new Date().toISOString(), people, hubs, hosts };
    this.#signed = signRoster(this.#roster, readText(this.#folder, ROOT_FILE));
    this.#save();
    this.#admin.writeConfig();
  }

  #credential(holder: Holder, more: Pick<Credential, "labels" | "signingKey">): Credential {
    return {
      format: 1,
      ...holder,
      ...more,
      fleet: this.fleet,
      tenant: this.name,
      ...this.#address,
      seed: createNkey().seed,
      rootKey: this.rootKey,
      // The roster with this holder is the next one.
      rosterSerial: this.#roster.serial + 1,
    };
  }

  #save(): void {
    const saved = { fleet: this.fleet, users: this.#users, signed: this.#signed };
    replacePrivately(this.#folder, TENANT_FILE, `${JSON.stringify(saved)}\n`);
  }
}

function folderOf(admin: TenantHome, tenant: string): string {
  return join(admin.path, `tenant-${tenant}`);
}

function credentialFile(person: string): string {
  return `person-${person}.json`;
}

function handOverFile(person: string): string {
  return `${person}.json`;
}
