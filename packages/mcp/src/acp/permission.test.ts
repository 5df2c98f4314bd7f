import { expect, it } from "vitest";
import { permissionAnswer } from "./permission.js";

const options = [
  { optionId: "y", kind: "allow_once" },
  { optionId: "n", kind: "reject_once" },
];
const answer = (verdict: "allow" | "deny", kind: "rule" | "person") =>
  permissionAnswer(options, { verdict, modified: false, actor: { kind, name: "x" } }, true);

it("leaves to the editor what a rule allows by the title alone", () => {
  expect(answer("allow", "rule")).toBeUndefined();
  expect(answer("allow", "person")).toEqual({ outcome: { outcome: "selected", optionId: "y" } });
  expect(answer("deny", "rule")).toEqual({ outcome: { outcome: "selected", optionId: "n" } });
});
