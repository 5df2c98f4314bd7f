import type { CommandModule, FleetTools } from "hookline/internal/fleet";
import { auditCommand } from "./audit.js";
import { devCommand } from "./dev.js";
import { doctorCommand } from "./doctor.js";
import { peopleEnrolCommand } from "./enrol.js";
import { hostsListCommand, hostsRevokeCommand, inviteCommand } from "./hosts.js";
import { initCommand } from "./init.js";
import { joinCommand, leaveCommand } from "./join.js";
import { peopleAddCommand, peopleListCommand, peopleRemoveCommand } from "./people.js";
import { policyPushCommand, policyRollbackCommand, policyStatusCommand } from "./policy.js";
import { alwaysForgetCommand, alwaysListCommand, answerCommand, questionsCommand } from "./questions.js";
import { statusCommand } from "./status.js";
import { tailCommand } from "./tail.js";
import { upCommand } from "./up.js";

export { version } from "../nats/package-version.js";

/** The subcommands of `hookline fleet`, by the names that `hookline` lists. */
export function createCommands(tools: FleetTools): { readonly [name: string]: CommandModule } {
  return {
    dev: devCommand(tools),
    init: initCommand(tools),
    invite: inviteCommand(tools),
    join: joinCommand(tools),
    leave: leaveCommand(tools),
    up: upCommand(tools),
    status: statusCommand(tools),
    tail: tailCommand(tools),
    doctor: doctorCommand(tools),
    "policy status": policyStatusCommand(tools),
    "policy push": policyPushCommand(tools),
    "policy rollback": policyRollbackCommand(tools),
    approvals: questionsCommand(tools),
    approve: answerCommand(tools, "allow"),
    deny: answerCommand(tools, "deny"),
    "always list": alwaysListCommand(tools),
    "always forget": alwaysForgetCommand(tools),
    audit: auditCommand(tools),
    "people list": peopleListCommand(tools),
    "people add": peopleAddCommand(tools),
    "people enrol": peopleEnrolCommand(tools),
    "people remove": peopleRemoveCommand(tools),
    "hosts list": hostsListCommand(tools),
    "hosts revoke": hostsRevokeCommand(tools),
  };
}
