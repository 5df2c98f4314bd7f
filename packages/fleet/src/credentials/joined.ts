import { rmSync } from "node:fs";
import { join } from "node:path";
import { HookError, openFolder, stateFolder, writePrivateJson } from "@hookline/core/internal/machine";
import type { FleetSettings } from "hookline/internal/fleet";
import { inboxPrefix } from "../nats/subjects.js";
import { AdminFolder } from "./admin-folder.js";
import { type Credential, parseCredential } from "./credential.js";
import { readJson } from "./stored-json.js";
import type { Tenant } from "./tenant.js";

const FOLDER = "fleet";
/** Read by the hub. */
const HUB_FILE = "fleet.json";
/** Read by commands: the hub neither needs nor loads a person's signing key. */
const PERSON_FILE = "person.json";
/** The signing key of a fleet hub, and what else its invitation held. */
const CREDENTIAL_FILE = "credential.json";

/** Where a machine keeps what it knows of its fleet. */
function fleetFolder(env: NodeJS.ProcessEnv): string {
  return join(stateFolder(env), FOLDER);
}

/** What this hub has joined with; `undefined` if it has not. */
export function readJoined(env: NodeJS.ProcessEnv): Credential | undefined {
  return readHubCredential(fleetFolder(env));
}

/** What a fleet hub has joined with, from the folder that it keeps of its fleet. */
export function readHubCredential(folder: string): Credential | undefined {
  return readCredential(folder, CREDENTIAL_FILE);
}

/** The person that commands of this user act as; without one, the admin whose folder this machine has. */
export function readPerson(env: NodeJS.ProcessEnv, choice: AdminChoice = {}): Credential | undefined {
  return readCredential(fleetFolder(env), PERSON_FILE) ?? findTenant(env, choice)?.tenant.admin;
}

function readCredential(folder: string, name: string): Credential | undefined {
  const found = readJson(folder, name);
  return found === undefined ? undefined : parseCredential(found, join(folder, name));
}

/** Keeps a credential: a person's for commands, another one for the hub. */
export function saveCredential(env: NodeJS.ProcessEnv, credential: Credential): void {
  openFolder(stateFolder(env));
  const folder = fleetFolder(env);
  if (credential.kind === "person") writePrivateJson(folder, PERSON_FILE, credential);
  else keepCredential(folder, credential);
}

/** Keeps what a hub joins with in the folder that it has of its fleet; `null` removes it. Throws for what is not the credential of a hub. */
export function keepCredential(folder: string, given: object | null): void {
  if (given === null) return forget(folder, [HUB_FILE, CREDENTIAL_FILE]);
  const credential = parseCredential(given, "The credential");
  if (credential.kind === "person")
    throw new HookError(
      "HL_FLEET_CREDENTIALS",
      `The credential is that of the person "${credential.name}", and a hub cannot join with it.`,
    );
  writePrivateJson(folder, CREDENTIAL_FILE, credential);
  writePrivateJson(folder, HUB_FILE, settingsOf(credential, credential.kind));
}

function settingsOf(credential: Credential, role: "host" | "hub"): FleetSettings {
  const { fleet, tenant, name, labels = {}, urls, seed, rootKey, rosterSerial, ca } = credential;
  const known = { ...(rosterSerial !== undefined && { rosterSerial }), ...(ca !== undefined && { ca }) };
  return { role, fleet, tenant, name, labels, urls, seed, rootKey, inboxPrefix: inboxPrefix(role, name), ...known };
}

/** Forgets what this hub joined with, or the person. */
export function removeCredential(env: NodeJS.ProcessEnv, which: "hub" | "person"): void {
  if (which === "hub") keepCredential(fleetFolder(env), null);
  else forget(fleetFolder(env), [PERSON_FILE]);
}

function forget(folder: string, names: readonly string[]): void {
  for (const name of names) rmSync(join(folder, name), { force: true });
}

export interface AdminChoice {
  readonly folder?: string | undefined;
  readonly tenant?: string | undefined;
}

/** The tenant unless another is named. */
export const DEFAULT_TENANT = "main";

export function adminPath(env: NodeJS.ProcessEnv, folder?: string): string {
  return folder ?? join(stateFolder(env), "fleet-admin");
}

/** The admin's folder and one of its tenants; `undefined` if this machine has none. */
export function findTenant(
  env: NodeJS.ProcessEnv,
  { folder, tenant = DEFAULT_TENANT }: AdminChoice,
): { readonly admin: AdminFolder; readonly tenant: Tenant } | undefined {
  const admin = AdminFolder.open(adminPath(env, folder));
  const found = admin?.tenant(tenant);
  return admin === undefined || found === undefined ? undefined : { admin, tenant: found };
}
