import { describe, expect, it } from "vitest";
import { runNode } from "./repository.ts";

const agent = "examples/scripted-agent.ts";

describe("the scripted agent", () => {
  it("shows a call allowed, blocked, rewritten and asked about, and ends well", async () => {
    const { code, stdout, stderr } = await runNode([agent]);
    expect(stderr).toBe("");
    expect(code).toBe(0);
    const [, allowed, blocked, rewritten, smuggled, asked] = stdout.split("\n\n");
    expect(allowed).toMatch(/no-rm +pass\n.*=> allowed; would run: ls src/s);
    expect(blocked).toMatch(/no-rm +deny +rm -rf is not for agents\n +=> blocked by no-rm/);
    expect(rewritten).toMatch(/safe-install +modify.*no-rm +pass +checked again\n +=> rewritten and allowed; .* --ignore-scripts/s);
    expect(smuggled).toMatch(/no-rm +pass\n.*aliases +modify.*no-rm +deny +checked again.*=> blocked by no-rm/s);
    expect(asked).toMatch(/ask-push +ask.*Ann +allow.*=> allowed by Ann/s);
  });

  it("writes no colours unless stdout is a terminal", async () => {
    const { stdout } = await runNode([agent]);
    expect(stdout).not.toContain("\u001b");
  });
});
