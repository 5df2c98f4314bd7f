import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { errorText, HookError, makePrivate, openFolder } from "@hookline/core/internal/machine";
import { shellWord } from "@hookline/core/internal/text";
import type { CommandModule, FleetTools, Terminal } from "hookline/internal/fleet";
import { AdminFolder, type ServerChoice } from "../credentials/admin-folder.js";
import { adminPath, DEFAULT_TENANT } from "../credentials/joined.js";
import { publishRoster } from "../credentials/published-roster.js";
import type { Tenant } from "../credentials/tenant.js";
import { type EnsuredStream, ensureStreams } from "../nats/streams.js";
import { whileReloading } from "../nats/while-reloading.js";
import { adminOptions, lockFolder, personName, reloadServer, withConnection } from "./context.js";

interface InitOptions {
  readonly url?: readonly string[];
  readonly listen?: string;
  readonly admin?: string;
  readonly replicas?: string;
  readonly tls?: boolean;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly tlsCa?: string;
  readonly tenant?: string;
  readonly folder?: string;
}

export function initCommand(tools: FleetTools): CommandModule<InitOptions> {
  const { option, examples, EXIT } = tools;
  return {
    define(command) {
      adminOptions(command, tools)
        .option("--url <url>", "where hosts reach the server; several for a cluster (default: from --listen)", option.texts)
        .option("--listen <address:port>", "where the server listens (default: 127.0.0.1:4222)", option.text)
        .option("--admin <name>", "your name in the fleet (default: your user name)", option.text)
        .option("--replicas <1|3|5>", "copies of each stream: 3 or 5 on a cluster (default: 1)", option.text)
        .option("--tls", "encrypt: makes a certificate with openssl unless you give one")
        .option("--tls-cert <file>", "the server's certificate", option.text)
        .option("--tls-key <file>", "its key", option.text)
        .option("--tls-ca <file>", "the certificate that hosts check it against (default: the system's)", option.text)
        .addHelpText("after", "\nRun it again at any time: it keeps all keys, and creates or repairs only what is missing.")
        .addHelpText(
          "after",
          examples(
            "hookline fleet init",
            "hookline fleet init --listen 0.0.0.0:4222 --url tls://nats.example.com:4222 --tls",
            "hookline fleet init --tenant acme",
          ),
        );
    },

    async run(terminal, options) {
      const path = openFolder(resolve(adminPath(terminal.env, options.folder)));
      const lock = lockFolder(tools, path);
      try {
        const admin = AdminFolder.make(path, choiceOf(path, options));
        const name = personName(options.admin ?? tools.userName());
        const { tenant, isNew } = admin.ensureTenant(options.tenant ?? DEFAULT_TENANT, name);
        terminal.say(
          isNew ? `The fleet "${tenant.name}" is created; its keys are in ${path}.` : `The fleet "${tenant.name}" exists in ${path}.`,
        );
        terminal.print(admin.configPath);
        reloadServer(admin);
        const result = await prepare(admin, tenant).catch((error: unknown) => error);
        if (result instanceof Error) return tellToStart(admin, result, terminal, EXIT.ok);
        // A server makes nothing of the imports of a new account until it reads its configuration once more.
        reloadServer(admin);
        for (const line of streamLines(result as readonly EnsuredStream[], tools)) terminal.say(line);
        terminal.say(`The server has the roster with serial ${tenant.roster.serial}.`);
        terminal.say("\nNext:");
        terminal.say("  hookline fleet up              start the fleet hub, on this machine");
        terminal.say("  hookline fleet invite <host>   add a host");
        return EXIT.ok;
      } finally {
        lock.release();
      }
    },
  };
}

async function prepare(admin: AdminFolder, tenant: Tenant): Promise<readonly EnsuredStream[]> {
  const { admin: credential } = tenant;
  if (credential === undefined)
    throw new HookError("HL_FLEET_CREDENTIALS", "This folder holds no admin's credential.", {
      fix: "Add an admin: hookline fleet people add <name> --role admin",
    });
  const { replicas, eventBytes, largeEventBytes } = admin.server;
  return withConnection(credential, async (connection) => {
    const limits = {
      replicas,
      ...(eventBytes !== undefined && { eventBytes }),
      ...(largeEventBytes !== undefined && { largeEventBytes }),
    };
    const done = await whileReloading(() => ensureStreams(connection, limits));
    await publishRoster(connection, tenant.signedRoster);
    return done;
  });
}

function tellToStart(admin: AdminFolder, error: Error, terminal: Terminal, code: number): number {
  terminal.say(`\nThe streams and buckets are missing as long as the server is not up. ${errorText(error)}`);
  terminal.say("\nStart the server with this configuration, here or where you copy it (with accounts.conf):");
  terminal.say(`  nats-server --config ${shellWord(admin.configPath)}`);
  terminal.say("Then once more:");
  terminal.say("  hookline fleet init");
  return code;
}

function streamLines(done: readonly EnsuredStream[], { format }: FleetTools): string[] {
  const changed = done.filter(({ was }) => was !== "same");
  if (changed.length === 0) return [`All ${format.countText(done.length, "stream")} are as they should be.`];
  return (["created", "updated"] as const).flatMap((state) => {
    const names = changed.filter(({ was }) => was === state).map(({ name }) => name);
    return names.length === 0 ? [] : [`${format.countText(names.length, "stream")} ${state}: ${names.join(", ")}.`];
  });
}

function choiceOf(folder: string, { url, listen, replicas, tls = false, tlsCert, tlsKey, tlsCa }: InitOptions): ServerChoice {
  for (const text of url ?? [])
    if (!/^(nats|tls):\/\/[^\s@]+$/.test(text))
      throw wrong(`"${text}" is not the address of a NATS server`, "nats://host:4222 or tls://host:4222");
  if (listen !== undefined && !/^\S+:\d{1,5}$/.test(listen)) throw wrong(`"${listen}" is not an address to listen on`, "0.0.0.0:4222");
  if (replicas !== undefined && !["1", "3", "5"].includes(replicas)) throw wrong(`"${replicas}" is not a number of replicas`, "1, 3 or 5");
  if ((tlsCert === undefined) !== (tlsKey === undefined)) throw wrong("A certificate needs its key", "--tls-cert and --tls-key together");
  return {
    ...(url !== undefined && { urls: url }),
    ...(listen !== undefined && { listen }),
    ...(replicas !== undefined && { replicas: Number(replicas) }),
    ...tlsChoice(folder, { tls, tlsCert, tlsKey, tlsCa, names: namesIn(url ?? (listen === undefined ? [] : [`tls://${listen}`])) }),
  };
}

function wrong(what: string, example: string): HookError {
  return new HookError("HL_FLEET_NAME", `${what}.`, { fix: `Give ${example}.` });
}

function namesIn(urls: readonly string[]): string[] {
  const names = urls.map((url) => new URL(url.replace(/^(nats|tls):/, "http:")).hostname).filter((name) => name !== "0.0.0.0");
  return [...new Set([...names, "localhost", "127.0.0.1"])];
}

interface TlsOptions {
  readonly tls: boolean;
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
  readonly tlsCa: string | undefined;
  readonly names: readonly string[];
}

function tlsChoice(folder: string, { tls, tlsCert, tlsKey, tlsCa, names }: TlsOptions): Pick<ServerChoice, "tls" | "ca"> {
  if (tlsCert !== undefined && tlsKey !== undefined)
    return {
      tls: { cert: resolve(tlsCert), key: resolve(tlsKey) },
      ...(tlsCa !== undefined && { ca: readFileSync(resolve(tlsCa), "utf8") }),
    };
  if (!tls) return {};
  return makeCertificate(join(folder, "tls"), names);
}

/** A certificate for the server, and the one that signed it, which comes to the hosts with their invitations. An existing one is kept. */
function makeCertificate(path: string, names: readonly string[]): Pick<ServerChoice, "tls" | "ca"> {
  const folder = openFolder(path);
  const file = (name: string): string => join(folder, name);
  const [caKey, ca, key, request, cert] = ["ca-key.pem", "ca.pem", "server-key.pem", "server.csr", "server.pem"].map(file) as [
    string,
    string,
    string,
    string,
    string,
  ];
  const existing = readIfThere(cert) === "" ? undefined : readFileSync(ca, "utf8");
  if (existing === undefined) {
    for (const secret of [caKey, ca, key, request, cert]) makePrivate(secret);
    const ec = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
    const alternatives = names.map((name) => `${/^[\d.]+$|:/.test(name) ? "IP" : "DNS"}:${name}`).join(",");
    const openssl = (...args: string[]): void => void execFileSync("openssl", args, { stdio: ["ignore", "ignore", "pipe"] });
    try {
      openssl("req", "-x509", ...ec, "-keyout", caKey, "-out", ca, "-days", "3650", "-subj", "/CN=Hookline fleet");
      openssl("req", ...ec, "-keyout", key, "-out", request, "-subj", `/CN=${names[0]}`, "-addext", `subjectAltName=${alternatives}`);
      const signing = [
        "-CA",
        ca,
        "-CAkey",
        caKey,
        "-set_serial",
        `0x${randomBytes(16).toString("hex")}`,
        "-copy_extensions",
        "copy",
        "-days",
        "825",
      ];
      openssl("x509", "-req", "-in", request, ...signing, "-out", cert);
    } catch (cause) {
      throw new HookError("HL_FLEET_CREDENTIALS", `openssl made no certificate: ${errorText(cause).slice(0, 300)}`, {
        fix: "Install openssl, or give your own: --tls-cert, --tls-key and --tls-ca.",
        cause,
      });
    }
  }
  return { tls: { cert, key }, ca: existing ?? readFileSync(ca, "utf8") };
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
