import { setTimeout as pause } from "node:timers/promises";
import { freeze, thaw } from "../faults/nemesis.ts";
import type { Fault } from "./fault.ts";
import { happened } from "./fault.ts";
import { ROLES, type Role } from "./world.ts";

/** Faults of what runs beside the hub. Two of a step never concern the same role. */
export interface RoleFault extends Fault {
  readonly role: Role;
}

export const roleFaults: readonly RoleFault[] = ROLES.flatMap((role) => [killOf(role), stopOf(role)]);

function killOf(role: Role): RoleFault {
  return {
    name: `kill ${role}`,
    role,
    weight: 4,
    kills: 1,
    async act({ world, random }) {
      await pause(random.between(0, 400));
      happened(await world.killRole(role), `${role} was killed`);
      await pause(random.pick([0, random.between(0, 500)]));
      await world.startRole(role);
    },
  };
}

function stopOf(role: Role): RoleFault {
  return {
    name: `stop ${role}`,
    role,
    weight: 1,
    async act({ world, random }) {
      const member = world.member(role);
      happened(await freeze(member), `${role} stands still`);
      await pause(random.between(300, 2_000));
      thaw(member);
    },
  };
}
