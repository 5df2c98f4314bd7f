import type { Scenario } from "./scenario.ts";
import { badInput } from "./scenarios/bad-input.ts";
import { clientDamage } from "./scenarios/client-damage.ts";
import { crowd } from "./scenarios/crowd.ts";
import { diskFull } from "./scenarios/disk-full.ts";
import { fullDiskStart, fullStateDisk } from "./scenarios/disk-full-start.ts";
import { exitPaths } from "./scenarios/exit-paths.ts";
import { hubFrozen } from "./scenarios/hub-frozen.ts";
import { hubKills } from "./scenarios/hub-kills.ts";
import { lateStart } from "./scenarios/late-start.ts";
import { leaks } from "./scenarios/leaks.ts";
import { lease } from "./scenarios/lease.ts";
import { manyHubs } from "./scenarios/many-hubs.ts";
import { noDescriptors } from "./scenarios/no-descriptors.ts";
import { otherNamespace } from "./scenarios/other-namespace.ts";
import { publisherKills } from "./scenarios/publisher-kills.ts";
import { remoteGate } from "./scenarios/remote-gate.ts";
import { sinkKills } from "./scenarios/sink-kills.ts";
import { squatter } from "./scenarios/squatter.ts";
import { staleFile } from "./scenarios/stale-file.ts";
import { stalled } from "./scenarios/stalled.ts";
import { tokenRotation } from "./scenarios/token-rotation.ts";

/** By the name `--only` takes. */
export const scenarios: { readonly [name: string]: Scenario } = {
  "hub-kills": hubKills,
  "publisher-kills": publisherKills,
  "hub-frozen": hubFrozen,
  "disk-full": diskFull,
  "full-disk-start": fullDiskStart,
  "full-state-disk": fullStateDisk,
  "token-rotation": tokenRotation,
  squatter,
  "stale-file": staleFile,
  "many-hubs": manyHubs,
  "bad-input": badInput,
  "client-damage": clientDamage,
  stalled,
  crowd,
  "exit-paths": exitPaths,
  "sink-kills": sinkKills,
  leaks,
  "no-descriptors": noDescriptors,
  "remote-gate": remoteGate,
  lease,
  "late-start": lateStart,
  "other-namespace": otherNamespace,
};
