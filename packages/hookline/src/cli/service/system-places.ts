import { join } from "node:path";
import { MANAGED_CONFIG, MANAGED_FILE, type Managed } from "@hookline/core/internal/machine";

/** The name of the hub's user and of its group, whose members may ask the hub. */
export const HUB_USER = "hookline";
/** The group whose members may operate the hub. */
export const OPERATORS_GROUP = "hookline-operators";
export const UNIT = "hookline.service";
const PROGRAM = "/opt/hookline";
const STATE = "/var/lib/hookline";
const RUN = "/run/hookline";

/** Where the parts of a managed hub are, below a root folder. */
export interface SystemPlaces {
  readonly root: string;
  /** Node, the package and the command. */
  readonly program: string;
  /** Rules and hooks. */
  readonly config: string;
  readonly managed: string;
  readonly rules: string;
  readonly hooks: string;
  /** The clients of attached agents. */
  readonly clients: string;
  readonly unit: string;
  readonly state: string;
}

export function systemPlaces(root: string): SystemPlaces {
  const config = join(root, MANAGED_CONFIG);
  return {
    root,
    program: join(root, PROGRAM),
    config,
    managed: join(config, MANAGED_FILE),
    rules: join(config, "hookline.toml"),
    hooks: join(config, "hooks"),
    clients: join(config, "clients"),
    unit: join(root, "/etc/systemd/system", UNIT),
    state: join(root, STATE),
  };
}

const NODE = join(PROGRAM, "bin", "node");
const MAIN = join(PROGRAM, "node_modules", "hookline", "dist", "cli", "main.js");

export function managedText(ids: Omit<Managed, "run">): string {
  return `${JSON.stringify({ v: 1, ...ids, run: RUN })}\n`;
}

/** Runs Node and the package that only root can change, with the variables of the caller that name a folder of Node's left out. */
export const COMMAND_TEXT = `#!/bin/sh
# Written by "hookline service install --system".
unset NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS
exec ${NODE} ${MAIN} "$@"
`;

/** The unit. `accounts`: names, or numbers if there are no names. */
export function unitText({
  user,
  group,
  operators,
}: {
  readonly user: string;
  readonly group: string;
  readonly operators: string;
}): string {
  return `# Written by "hookline service install --system".
[Unit]
Description=Hookline hub for all users of this machine
After=local-fs.target

[Service]
ExecStart=${NODE} ${MAIN} up --managed
User=${user}
Group=${group}
SupplementaryGroups=${operators}
Environment=XDG_STATE_HOME=/var/lib HOME=${STATE}
WorkingDirectory=/
UMask=0077
Restart=always
RestartSec=1
# The hub answers open questions before it ends.
TimeoutStopSec=20
ConfigurationDirectory=hookline
ConfigurationDirectoryMode=0755
StateDirectory=hookline
StateDirectoryMode=0700
RuntimeDirectory=hookline
RuntimeDirectoryMode=0750
RuntimeDirectoryPreserve=restart

# Not set, because the hub needs it: ProtectProc (it reads who is connected), MemoryDenyWriteExecute (Node compiles code).
CapabilityBoundingSet=
AmbientCapabilities=
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=read-only
PrivateTmp=yes
PrivateDevices=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RemoveIPC=yes
LockPersonality=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
LimitCORE=0

[Install]
WantedBy=multi-user.target
`;
}

/** The first rules: none, and how to add some. */
export const RULES_TEXT = `# The rules of the managed hub. Only root can change this file and the folder "hooks" beside it.
# Documentation: docs/rules.md
`;
