import { userInfo } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createCliHome } from "../../../../../test/support/cli-home.js";
import { startOnTerminal } from "../../../../../test/support/on-terminal.js";

// Real processes of the built command line, one on a terminal a test.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 60_000 });
const home = createCliHome();
beforeAll(async () => expect(await home.run("up", "--detach", "--port", "0")).toMatchObject({ code: 0 }));
afterAll(() => home.close());

const QUESTION = 'Let "git push --force" run? [y]es, [n]o, [e]dit: ';
const { username } = userInfo();
const withoutHub = { XDG_STATE_HOME: join(home.folder, "away"), XDG_RUNTIME_DIR: "" };
const start = (env: NodeJS.ProcessEnv = withoutHub) => startOnTerminal(home, ["demo", "--ask", "--fast"], env);

describe("demo --ask", () => {
  it("lets the person at the keyboard allow the call, and the hub has who it was", async () => {
    const demo = start({});
    await demo.shows("ask-push asks: A force push. Are you sure?");
    await demo.shows(QUESTION);
    demo.press("perhaps\r");
    await demo.shows("Type one of these letters");
    await demo.shows(QUESTION);
    demo.press("y\r");
    await demo.shows(`=> allowed by ${username}; would run: git push --force`);
    await demo.shows("Done: the fix is published");
    expect(await demo.ended).toBe(0);
    const { out } = await home.run("tail", "--no-follow", "--event", "permission:replied", "--json");
    expect(JSON.parse(out)).toMatchObject({ payload: { approval: { verdict: "allow", by: username } } });
  });

  it("denies on a no, and says what came of it", async () => {
    const demo = start();
    await demo.shows("No hub is running");
    await demo.shows(QUESTION);
    demo.press("n\r");
    await demo.shows(`=> blocked by ${username}`);
    await demo.shows("the fix is not published");
    expect(await demo.ended).toBe(0);
  });

  it("lets the person write another command, which the guards look at again", async () => {
    const demo = start();
    await demo.shows(QUESTION);
    demo.press("e\r");
    await demo.shows("Run instead: ");
    demo.press("rm -rf /\r");
    await demo.shows("=> blocked by no-rm: rm -rf is not for agents");
    expect(await demo.ended).toBe(0);
  });

  it.each([
    ["Ctrl-C", "\x03", 130],
    ["the end of input", "\x04", 0],
  ])("takes %s for a deny without a name, and ends", async (_, keys, code) => {
    const demo = start();
    await demo.shows(QUESTION);
    demo.press(keys);
    await demo.shows("=> blocked by approver: There was no answer.");
    expect([await demo.ended, demo.out]).toEqual([code, expect.not.stringMatching(/^ {4}at /m)]);
  });

  it("does not take for an answer what was typed before the question", async () => {
    const demo = start();
    demo.press("y\ry");
    await demo.shows(QUESTION);
    demo.press("n\r");
    await demo.shows(`=> blocked by ${username}`);
    expect(await demo.ended).toBe(0);
  });

  it("says that the script answers where there is no terminal", async () => {
    expect(await home.runWith({ env: withoutHub, input: "n\n" }, "demo", "--ask", "--fast")).toMatchObject({
      code: 0,
      out: expect.stringContaining("allowed by Ann"),
      err: expect.stringContaining("--ask needs a terminal"),
    });
  });
});
