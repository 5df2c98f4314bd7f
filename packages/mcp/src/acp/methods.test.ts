import {
  AGENT_METHODS,
  CLIENT_METHODS,
  type ToolKind as OfficialKind,
  type PermissionOptionKind as OfficialOption,
} from "@agentclientprotocol/sdk";
import { expect, expectTypeOf, test } from "vitest";
import { agentMethods, clientMethods, type PermissionOptionKind, type ToolKind } from "./methods.js";

test("the names are those of the official SDK", () => {
  expect(AGENT_METHODS).toMatchObject(agentMethods);
  expect(CLIENT_METHODS).toMatchObject(clientMethods);
  expectTypeOf<ToolKind>().toExtend<OfficialKind>();
  expectTypeOf<PermissionOptionKind>().toExtend<OfficialOption>();
});
