// For `@hookline/fleet`, without promises: types only, so that the package loads none of the hub's code a second time.

export type { CommandModule } from "../cli/command-module.js";
export type { Check, Finding } from "../cli/doctor/check.js";
export type { FleetTools } from "../cli/fleet/fleet-tools.js";
export type { FleetCommandsModule } from "../cli/fleet/load-commands.js";
export type { PolicyTools } from "../cli/fleet/policy-tools.js";
export type { Terminal } from "../cli/terminal.js";
export type {
  FleetAnswerGiven,
  FleetApprovals,
  FleetEnrolment,
  FleetEvents,
  FleetModule,
  FleetPart,
  FleetPeople,
  FleetPerson,
  FleetPolicy,
  FleetPort,
  FleetSettings,
} from "../hub/fleet/fleet-port.js";
export type { Accepted, Arrival, Refusal } from "../hub/parts.js";
export type { FleetAuditEntry, FleetHost, FleetQuestion, PendingApproval } from "../hub/protocol.js";
export type { StoredEvent } from "../hub/store/store.js";
export type { Signer as PolicySigner } from "../rules/pack/signature.js";
