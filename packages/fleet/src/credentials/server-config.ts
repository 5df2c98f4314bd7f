import { type Holder, permissionsOf } from "./permissions.js";

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
  readonly users: readonly (Holder & { readonly nkey: string })[];
}

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
  const accounts = Object.fromEntries(
    tenants.map(({ tenant, users }) => [
      accountName(tenant),
      {
        jetstream: { max_mem: TENANT_MEMORY, max_file: tenantBytes },
        users: users.map((user) => ({ nkey: user.nkey, permissions: permissionsOf(user) })),
      },
    ]),
  );
  return text({ accounts: { ...accounts, SYS: { users: [{ nkey: system }] } }, system_account: "SYS" });
}

function accountName(tenant: string): string {
  return `HL_${tenant}`;
}

function text(values: { readonly [key: string]: unknown }): string {
  return Object.entries(values)
    .map(([key, value]) => `${key}: ${JSON.stringify(value, undefined, 2)}\n`)
    .join("");
}
