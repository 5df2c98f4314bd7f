import { fork } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Answer, Call, Methods } from "./serve.ts";

export interface RunningProcess<M extends Methods> {
  readonly pid: number;
  ask<K extends keyof M & string>(method: K, ...given: Parameters<M[K]>): Promise<Awaited<ReturnType<M[K]>>>;
  signal(signal: NodeJS.Signals): void;
  /** At once, whatever it does. */
  kill(): void;
  /** Ends it and waits until it is gone. */
  stop(): Promise<void>;
}

const ANSWER_MS = 120_000;
const own = fileURLToPath(new URL("../..", import.meta.url));

/** Starts one of `processes/` and resolves when it listens. `tree`: the folder of another version. */
export async function startProcess<M extends Methods>(
  file: string,
  { env, args, tree = own }: { readonly env: NodeJS.ProcessEnv; readonly args: readonly string[]; readonly tree?: string | undefined },
): Promise<RunningProcess<M>> {
  const path = join(tree, "bench/line/processes", `${file}.ts`);
  const execArgv = env.BENCH_PROFILE?.split(",").includes(file) ? ["--cpu-prof", `--cpu-prof-name=${file}-${Date.now()}.cpuprofile`] : [];
  const child = fork(path, args, { env, execArgv, serialization: "advanced", stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  let calls = 0;
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  child.on("message", (answer: Answer) => {
    const question = waiting.get(answer.call);
    waiting.delete(answer.call);
    if ("error" in answer) question?.reject(new Error(`${file}: ${answer.error}`));
    else question?.resolve(answer.result);
  });
  child.once("exit", (code, signal) => {
    for (const { reject } of waiting.values()) reject(new Error(`The process "${file}" ended (${signal ?? code}) with a question open.`));
    waiting.clear();
  });

  function wait<T>(call: number): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`The process "${file}" did not answer within ${ANSWER_MS} ms.`)), ANSWER_MS);
      const over =
        <V>(then: (value: V) => void) =>
        (value: V): void => {
          clearTimeout(timer);
          then(value);
        };
      waiting.set(call, { resolve: over(resolve as (value: unknown) => void), reject: over(reject) });
    });
  }

  await wait<void>(0);
  return {
    pid: child.pid as number,
    ask(method, ...given) {
      const answered = wait<never>(++calls);
      child.send({ call: calls, method, given } satisfies Call);
      return answered;
    },
    signal: (signal) => void child.kill(signal),
    kill: () => void child.kill("SIGKILL"),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGCONT");
      if (child.connected) child.disconnect();
      const late = setTimeout(() => child.kill("SIGKILL"), 3_000);
      await gone;
      clearTimeout(late);
    },
  };
}
