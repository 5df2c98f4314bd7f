import { parentPort, type Transferable, Worker } from "node:worker_threads";
import { errorText } from "@hookline/core";
import { Correlator } from "@hookline/core/internal/wire";

interface Request {
  readonly call: number;
  readonly given: unknown;
}

interface Reply {
  readonly call: number;
  readonly made?: unknown;
  readonly error?: string;
}

export interface Thread<Given, Made> {
  /** Rejects if the thread dies. `transfer`: what it takes over without a copy. */
  ask(given: Given, transfer?: readonly Transferable[]): Promise<Made>;
  close(): Promise<void>;
}

/** A thread that works for the hub. Started for the first question, and again if it died. */
export function createThread<Given, Made>(file: URL, failed: (why: string) => Error): Thread<Given, Made> {
  const requests = new Correlator<{ readonly id: number }, Made>();
  let worker: Worker | undefined;
  let calls = 0;

  function start(): Worker {
    const started = new Worker(file, { execArgv: [] });
    started.unref();
    started.on("message", ({ call, made, error }: Reply) => {
      if (error === undefined) requests.answer(call, made as Made);
      else requests.fail(call, failed(error));
    });
    const gone = (why: string): void => {
      // After an error it also exits: by then another thread may have been asked.
      if (worker !== started) return;
      worker = undefined;
      requests.failAll(() => failed(why));
    };
    started.on("error", (error) => gone(errorText(error)));
    started.on("exit", () => gone("it has ended"));
    return started;
  }

  return {
    ask: (given, transfer = []) =>
      requests.ask({ id: ++calls }, ({ id }) => {
        worker ??= start();
        worker.postMessage({ call: id, given } satisfies Request, transfer);
      }),
    async close() {
      await worker?.terminate();
    },
  };
}

/** The other side: what the thread's file calls. */
export function answerInThread<Given>(make: (given: Given) => unknown): void {
  parentPort?.on("message", ({ call, given }: Request) => {
    const reply = ((): Reply => {
      try {
        return { call, made: make(given as Given) };
      } catch (error) {
        return { call, error: errorText(error as Error) };
      }
    })();
    parentPort?.postMessage(reply);
  });
}
