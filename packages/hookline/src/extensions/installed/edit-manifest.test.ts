import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { withEnabled } from "./edit-manifest.js";

describe("withEnabled", () => {
  const yaml = 'name: "a"   # mine\nevents: ["tool:before"]\npermissions: [tools.intercept]\n\n# onFailure: open\n';

  it("adds a line to a HOOK.yaml, and changes only that from then on", () => {
    const off = withEnabled(yaml, "yaml", false);
    expect(off).toBe(`${yaml}enabled: false\n`);
    expect(withEnabled(off, "yaml", true)).toBe(`${yaml}enabled: true\n`);
    expect(withEnabled("enabled:   true # for now\nevents: [a:b]", "yaml", false)).toBe("enabled:   false # for now\nevents: [a:b]");
  });

  it.each([
    "{events: [tool:before], name: x}\n",
    "name: x\nevents: [tool:before]\n...\n",
    "events: [tool:before]\ndescription: |\n  a\n\n  b",
    "events: [tool:before]\r\nname: x\r\n",
  ])("says the same otherwise: %j", (text) => {
    expect(parse(withEnabled(text, "yaml", false))).toEqual({ ...parse(text), enabled: false });
  });

  it("keeps the writing of an extension.json", () => {
    const json = '{\n    "name": "a",\n    "hooks": [{ "event": "tool:before" }]\n}\n';
    const off = withEnabled(json, "json", false);
    expect(off).toBe('{\n    "name": "a",\n    "hooks": [{ "event": "tool:before" }],\n    "enabled": false\n}\n');
    expect(withEnabled(off, "json", true)).toBe(off.replace("false", "true"));
    expect(withEnabled('{ "name": "a" }', "json", false)).toBe('{ "name": "a", "enabled": false }');
  });
});
