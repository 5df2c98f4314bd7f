import { guestRoles, type Holder, hostsShare, peopleShare, permissionsOf, type Shared } from "./permissions.js";

const MIB = 1024 * 1024;

/** The settings of one server. */
export interface ServerSettings {
  readonly listen: string;
  readonly name: string;
  /** The server keeps its files in `jetstream` below it. */
  readonly storeDir: string;
  /** Where it writes its process id. */
  readonly pidFile?: string | undefined;
  /** How much each tenant may store on disk. */
  readonly tenantBytes?: number;
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
}

/** An account of the server: tenants see nothing of each other. */
export interface TenantAccount {
  readonly tenant: string;
  readonly users: readonly TenantUser[];
}
type TenantUser = Holder & { readonly nkey: string };

const TENANT_BYTES = 12 * 1024 * MIB;
const TENANT_MEMORY = 256 * MIB;

/**
 * The configuration of one server, without its accounts. JSON is valid in a configuration of NATS.
 * `sync_interval: always`: the default of two minutes loses acknowledged messages at a power cut.
 */
export function serverText({ listen, name, storeDir, pidFile, tenantBytes = TENANT_BYTES, tls }: ServerSettings, tenants: number): string {
  const values = {
    server_name: name,
    listen,
    ...(pidFile !== undefined && { pid_file: pidFile }),
    max_payload: MIB,
    jetstream: {
      store_dir: storeDir,
      sync_interval: "always",
      max_memory_store: TENANT_MEMORY * tenants,
      max_file_store: tenantBytes * tenants,
    },
    ...(tls !== undefined && { tls: { cert_file: tls.cert, key_file: tls.key, min_version: "1.2" } }),
  };
  return text(values);
}

/** The accounts: the same on each server of a cluster. Holds public keys only. */
export function accountsText(tenants: readonly TenantAccount[], system: string, tenantBytes = TENANT_BYTES): string {
  const accounts = Object.fromEntries(tenants.flatMap((tenant) => accountsOf(tenant, tenantBytes)));
  return text({ accounts: { ...accounts, SYS: { users: [{ nkey: system }] } }, system_account: "SYS" });
}

/** As many as there are kinds of credentials, and all from the beginning: a server that reads its configuration again makes nothing of the imports of a new one. */
function accountsOf({ tenant, users }: TenantAccount, tenantBytes: number): [string, object][] {
  const main = `HL_${tenant}`;
  // No name of a tenant has a slash.
  const accountOf = (holder: Holder): string =>
    holder.kind === "host" ? `${main}/hosts` : holder.kind === "person" && holder.role !== "admin" ? `${main}/${holder.role}` : main;
  const usersOf = (account: string) =>
    users.filter((user) => accountOf(user) === account).map((user) => ({ nkey: user.nkey, permissions: permissionsOf(user) }));
  const hosts = `${main}/hosts`;
  const jetstream = { max_mem: TENANT_MEMORY, max_file: tenantBytes };
  return [
    [main, { jetstream, exports: EXPORTS.main, users: usersOf(main) }],
    [hosts, { exports: EXPORTS.hosts, imports: imports(main, hostsShare()), users: usersOf(hosts) }],
    ...guestRoles.map((role): [string, object] => {
      const shared = peopleShare(role);
      const account = `${main}/${role}`;
      return [account, { imports: [...imports(main, shared.streams), ...imports(hosts, shared.hosts)], users: usersOf(account) }];
    }),
  ];
}

function imports(account: string, { publish, subscribe }: Shared): object[] {
  return [
    ...publish.map((subject) => ({ service: { account, subject } })),
    ...subscribe.map((subject) => ({ stream: { account, subject } })),
  ];
}

const services = (...subjects: string[]) => subjects.map((service) => ({ service }));
const streams = (...subjects: string[]) => subjects.map((stream) => ({ stream }));

/** A direct get of several messages has several answers. */
const EXPORTS = {
  main: [
    { service: "$JS.API.DIRECT.GET.>", response_type: "stream" },
    ...services("$JS.API.INFO", "$JS.API.STREAM.>", "$JS.API.CONSUMER.>", "hl.>", "$KV.>", "$O.>"),
    ...streams("hl.>", "$KV.>"),
  ],
  hosts: [...services("hl.>"), ...streams("hl.>")],
};

function text(values: { readonly [key: string]: unknown }): string {
  return Object.entries(values)
    .map(([key, value]) => `${key}: ${JSON.stringify(value, undefined, 2)}\n`)
    .join("");
}
