import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { createCliHome } from "../../../test/support/cli-home.js";
import { natsForTests } from "../../../test/support/nats-server.js";
import { freePort, type NatsProcess, startNats } from "./dev/nats-process.js";

const nats = natsForTests();

// The one test of the fleet in `npm test`, with the built command line. The others: npm run test:fleet.
describe.skipIf(nats.isMissing)("a fleet", () => {
  const center = createCliHome();
  const laptop = createCliHome();
  let server: NatsProcess | undefined;
  afterAll(async () => {
    await Promise.all([center.close(), laptop.close()]);
    await server?.stop();
  });

  it("shows the events of a host that has joined with its invitation, under the name of its credential", async () => {
    const port = await freePort();
    const ok = async (run: ReturnType<typeof center.run>): Promise<string> => {
      const { code, out, err } = await run;
      expect(code, err).toBe(0);
      return out;
    };
    const starting = laptop.run("up", "--detach", "--port", "0");
    await ok(center.run("fleet", "init", "--listen", `127.0.0.1:${port}`));
    server = await startNats({ program: nats.program, folder: join(center.state, "fleet-admin"), port });
    await ok(center.run("fleet", "init"));
    const invitation = await ok(center.run("fleet", "invite", "laptop", "--label", "team=web"));
    const up = center.run("fleet", "up", "--detach", "--port", "0");
    await ok(starting);
    await ok(laptop.run(...invitation.trim().split(" ").slice(1)));
    await ok(laptop.run("emit", "notification:sent", "--payload", JSON.stringify({ message: "from afar", host: "another" })));
    await ok(up);
    const tail = () => center.run("tail", "--no-follow", "--json", "--host", "laptop", "--event", "notification:sent");
    let seen = "";
    while (!seen.includes("from afar")) {
      seen = await ok(tail());
      await sleep(50);
    }
    expect(
      seen
        .trim()
        .split("\n")
        .filter((line) => line.includes("from afar")),
    ).toHaveLength(1);
    const { hosts } = JSON.parse(await ok(center.run("fleet", "status", "--json"))) as { readonly hosts: readonly object[] };
    expect(hosts).toEqual([
      expect.objectContaining({ name: "laptop", state: "present", labels: { team: "web" }, hub: expect.any(String) }),
    ]);
  });
});
