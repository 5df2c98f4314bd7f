import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { inPidNamespace } from "../../../../test/faults/mount.js";
import { testFolder } from "../../../../test/support/test-folder.js";
import { openLivenessSocket, probeLiveness } from "./liveness-socket.js";

const built = fileURLToPath(new URL("../../dist/wire/liveness-socket.js", import.meta.url));
const isLinux = process.platform === "linux";
const NAME = "w.sock";

/** A process that listens, says so and stays; `act` is what it does besides. */
async function listener(folder: string, { act = "setInterval(() => {}, 1000);", through = [] as readonly string[] } = {}) {
  const script = `const { openLivenessSocket } = await import(${JSON.stringify(built)});
    const listen = () => { const socket = openLivenessSocket(${JSON.stringify(folder)}, ${JSON.stringify(NAME)}); console.log("listens"); return socket; };
    ${act.includes("listen()") ? act : `listen(); ${act}`}`;
  const [command = "", ...args] = [...through, process.execPath, "--input-type=module", "-e", script];
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await once(child, "exit");
}

describe("a liveness socket", () => {
  it("says that its process lives, and after a kill that it is dead", async () => {
    const folder = testFolder();
    const child = await listener(folder);
    expect(await probeLiveness(folder, NAME)).toBe("alive");
    await kill(child);
    expect([await probeLiveness(folder, NAME), readdirSync(folder)]).toEqual(["dead", [NAME]]);
  });

  it.skipIf(inPidNamespace() === undefined)("says so across PID namespaces, in which process numbers mean nothing", async () => {
    const folder = testFolder();
    const child = await listener(folder, { through: inPidNamespace() ?? [] });
    expect(await probeLiveness(folder, NAME)).toBe("alive");
    await kill(child);
    await expect.poll(() => probeLiveness(folder, NAME)).toBe("dead");
  });

  it("calls a process that stands still alive, also when its queue of connections is full", async () => {
    const folder = testFolder();
    const child = await listener(folder);
    child.kill("SIGSTOP");
    const states = new Set<string>();
    // Few at a time: each has a time limit. The queue keeps the connections that their probe has left.
    for (let probes = 0; probes < 1_500; probes += 25) {
      for (const state of await Promise.all(Array.from({ length: 25 }, () => probeLiveness(folder, NAME)))) states.add(state);
    }
    expect(states).toEqual(new Set(["alive"]));
  });

  it("does not know what it cannot see", async () => {
    const folder = testFolder();
    expect(await probeLiveness(folder, NAME)).toBe("unknown");
    writeFileSync(join(folder, NAME), "not a socket");
    expect(await probeLiveness(folder, NAME)).toBe("unknown");
    expect(await probeLiveness(join(folder, NAME), NAME)).toBe("unknown");
  });

  it.runIf(isLinux && process.geteuid?.() === 0)("does not know what it may not open", async () => {
    const folder = testFolder();
    await listener(folder);
    chmodSync(folder, 0o711);
    chmodSync(join(folder, NAME), 0o600);
    const script = `const { probeLiveness } = await import(${JSON.stringify(built)});
      console.log(await probeLiveness(${JSON.stringify(folder)}, ${JSON.stringify(NAME)}));`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], { uid: 65_534, gid: 65_534, cwd: "/" });
    const [said] = (await once(child.stdout, "data")) as [Buffer];
    expect(String(said).trim()).toBe("unknown");
  });

  it("is gone when it is closed", async () => {
    const folder = testFolder();
    const socket = openLivenessSocket(folder, NAME);
    expect(await probeLiveness(folder, NAME)).toBe("alive");
    socket.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  it("throws where there is no folder", () => {
    expect(() => openLivenessSocket(join(testFolder(), "absent"), NAME)).toThrow(NAME);
  });

  it.runIf(isLinux)("stands in a folder of any depth", async () => {
    const folder = join(testFolder(), "deep".repeat(40));
    mkdirSync(folder);
    const child = await listener(folder);
    expect([await probeLiveness(folder, NAME), existsSync(join(folder, NAME))]).toEqual(["alive", true]);
    await kill(child);
    expect(await probeLiveness(folder, NAME)).toBe("dead");
    const own = openLivenessSocket(folder, "own.sock");
    own.close();
    expect(readdirSync(folder)).toEqual([NAME]);
  });

  it.each([
    ["keeps no process alive", ""],
    ["listens also on the way out of a process", 'process.on("exit", () => { listen().close(); });'],
    [
      "listens also in a worker thread that ends",
      `const { Worker } = await import("node:worker_threads");
       const text = 'const { openLivenessSocket } = await import(${JSON.stringify(built)}); process.on("exit", () => { openLivenessSocket(process.env.FOLDER, "w.sock").close(); });';
       new Worker(new URL("data:text/javascript," + encodeURIComponent(text)), { env: { ...process.env, FOLDER: FOLDER } }).on("exit", () => listen().close()).on("error", (error) => console.log(error));`,
    ],
  ])("%s", async (_, act) => {
    const folder = testFolder();
    const child = await listener(folder, { act: act.replaceAll("FOLDER: FOLDER", `FOLDER: ${JSON.stringify(folder)}`) });
    if (child.exitCode === null) await once(child, "exit");
    expect([child.exitCode, readdirSync(folder)]).toEqual([0, act === "" ? [NAME] : []]);
  });

  it("belongs to a worker of a cluster, not to its primary", async () => {
    const folder = testFolder();
    const program = join(testFolder(), "cluster.mjs");
    writeFileSync(
      program,
      `import cluster from "node:cluster";
      import { openLivenessSocket } from ${JSON.stringify(built)};
      setInterval(() => {}, 1000);
      if (cluster.isPrimary) {
        const worker = cluster.fork().on("message", () => console.log("listens")).on("exit", () => console.log("killed"));
        process.stdin.once("data", () => worker.process.kill("SIGKILL"));
      } else {
        openLivenessSocket(${JSON.stringify(folder)}, ${JSON.stringify(NAME)});
        process.send("up");
      }`,
    );
    const child = spawn(process.execPath, [program], { stdio: ["pipe", "pipe", "inherit"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    await once(child.stdout, "data");
    expect(await probeLiveness(folder, NAME)).toBe("alive");
    child.stdin.write("now");
    await once(child.stdout, "data");
    expect([await probeLiveness(folder, NAME), child.exitCode]).toEqual(["dead", null]);
  });
});
