export type Core = typeof import("@hookline/core");
export type Remind = typeof import("@hookline/core/remind");
type Scenario = readonly [name: string, run: (core: Core, remind: Remind) => Promise<unknown>, outcome: unknown];

/** What a runtime that played the scenarios reports. */
export interface Facts {
  readonly outcomes: { readonly [scenario: string]: unknown };
  /** The decision of a bus that was made while its module loaded. */
  readonly early: string;
  readonly hasProcess: boolean;
}

const call = { session: { id: "s1" }, tool: { name: "bash", callId: "c1", input: { command: "rm -rf /" } } };

/** What any copy of the core must do, however it was compiled. */
export const scenarios: readonly Scenario[] = [
  [
    "blocks a call and says who did",
    async ({ block, createBus }) => {
      const bus = createBus({ source: "test" });
      bus.on("PreToolUse", (event) => (event.payload.tool.input.command?.includes("rm -rf") ? block("no") : undefined), { name: "no-rm" });
      const { verdict, reason, by, trail } = await bus.decide("tool:before", call);
      return { verdict, reason, by, trail: trail.map(({ actor, action }) => [actor.name, action]) };
    },
    { verdict: "deny", reason: "no", by: "no-rm", trail: [["no-rm", "deny"]] },
  ],
  [
    "lets guards look again at a rewrite",
    async ({ block, createBus, modify }) => {
      const bus = createBus();
      bus.on("tool:before", ({ payload }) => (payload.tool.input.command === "ls" ? block("seen again") : undefined), { priority: 1 });
      const safer = { ...call, tool: { ...call.tool, input: { command: "ls" } } };
      bus.on("tool:before", async () => modify(safer));
      const { verdict, reason, modified } = await bus.decide("tool:before", call);
      return { verdict, reason, modified };
    },
    { verdict: "deny", reason: "seen again", modified: true },
  ],
  [
    "asks the approver",
    async ({ ask, createBus }) => {
      const bus = createBus();
      bus.on("tool:before", () => ask("sure?"), { match: "bash" });
      bus.setApprover(({ reason }) => ({ verdict: reason === "sure?" ? "allow" : "deny", by: "me" }));
      const { verdict, allowed, by } = await bus.decide("tool:before", call);
      return { verdict, allowed, by };
    },
    { verdict: "allow", allowed: true, by: "me" },
  ],
  [
    "passes a value through transforms",
    async ({ createBus, inject, replace }) => {
      const bus = createBus();
      bus.on("tool:result", ({ value }) => replace(`${value}!`));
      bus.on("transform_tool_result", () => inject("mind the gap"));
      const { value, injections } = await bus.transform("tool:result", "done", call);
      return { value, injections };
    },
    { value: "done!", injections: ["mind the gap"] },
  ],
  [
    "tells observers, collects answers and isolates failures",
    async ({ createBus }) => {
      const codes: string[] = [];
      const bus = createBus({ onError: ({ code }) => codes.push(code) });
      bus.on("agent:*", async () => "later");
      bus.on("agent:start", () => {
        throw new Error("broken");
      });
      bus.on("agent:start", () => "now");
      const collected = await bus.collect("agent:start", {});
      await bus.emit("myapp:deployed", { version: "1" });
      return { collected, codes, count: bus.count() };
    },
    { collected: ["now", "later"], codes: ["HL_HANDLER_FAILED"], count: 3 },
  ],
  [
    "runs a tool between its hooks",
    async ({ createBus }) => {
      const bus = createBus();
      const statuses: string[] = [];
      bus.on("tool:after", ({ payload }) => void statuses.push(payload.status));
      const { status, output } = await bus.runTool(call, async ({ command }) => `ran ${command}`);
      return { status, output, statuses };
    },
    { status: "ok", output: "ran rm -rf /", statuses: ["ok"] },
  ],
  [
    "denies when a guard throws, and lets an observer throw",
    async ({ createBus }) => {
      const codes: string[] = [];
      const bus = createBus({ onError: ({ code }) => codes.push(code) });
      const fail = () => {
        throw new Error("broken");
      };
      bus.on("*", fail, { name: "watch", stage: "observe" });
      const watched = await bus.decide("tool:before", call);
      bus.on("tool:before", fail, { name: "guard" });
      const { verdict, by, cause } = await bus.decide("tool:before", call);
      return { watched: watched.verdict, verdict, by, cause: cause?.code, codes };
    },
    {
      watched: "pass",
      verdict: "deny",
      by: "guard",
      cause: "HL_HANDLER_FAILED",
      // The second call is denied, and observers are told of allowed calls only.
      codes: ["HL_HANDLER_FAILED", "HL_HANDLER_FAILED"],
    },
  ],
  [
    "ends a handler that takes too long, and aborts its signal",
    async ({ createBus }) => {
      const bus = createBus({ onError: () => {} });
      const reasons: unknown[] = [];
      const hang = ({ signal }: { readonly signal: AbortSignal }) => {
        signal.addEventListener("abort", () => reasons.push(signal.reason.code));
        return new Promise<undefined>(() => {});
      };
      bus.on("tool:before", hang, { name: "hangs", timeoutMs: 20 });
      const { verdict, by, cause } = await bus.decide("tool:before", call);
      return { verdict, by, cause: cause?.code, reasons };
    },
    { verdict: "deny", by: "hangs", cause: "HL_TIMEOUT", reasons: ["HL_TIMEOUT"] },
  ],
  [
    "keeps reminders until their turns are over",
    async ({ createBus, remind }, { createReminderBook }) => {
      const book = createReminderBook();
      const bus = createBus({ reminders: book });
      bus.on("tool:after", () => remind({ body: "Run the tests.", ttlTurns: 1 }), { name: "tests" });
      await bus.emit("tool:after", { ...call, status: "ok" });
      const [kept] = book.list("s1");
      const isShown = book.render("s1").includes("Run the tests.");
      book.turnEnded("s1");
      return { by: kept?.by, isShown, left: book.render("s1") };
    },
    { by: "tests", isShown: true, left: "" },
  ],
  [
    "gives events ids that sort in their order",
    async ({ createBus }) => {
      const ids: string[] = [];
      const bus = createBus();
      bus.on("*", ({ id }) => void ids.push(id), { stage: "observe" });
      for (let count = 0; count < 100; count++) bus.emitSync("myapp:counted", { count });
      const isSorted = ids.every((id, index) => index === 0 || id > (ids[index - 1] ?? id));
      return { count: new Set(ids).size, isSorted };
    },
    { count: 100, isSorted: true },
  ],
  [
    "calls the handlers of patterns for the events that they match",
    async ({ createBus }) => {
      const seen: string[] = [];
      const bus = createBus();
      for (const pattern of ["*", "tool:*", "myapp:*"])
        bus.on(pattern, ({ name }) => void seen.push(`${pattern} ${name}`), { stage: "observe" });
      await bus.decide("PreToolUse", call);
      await bus.emit("myapp:deployed", {});
      return seen;
    },
    ["* tool:before", "tool:* tool:before", "* myapp:deployed", "myapp:* myapp:deployed"],
  ],
  [
    "refuses what is wrong with a code",
    async ({ createBus, HookError }) => {
      const bus = createBus();
      const wrong = [
        () => bus.on("tool:befor" as string, () => undefined),
        () => bus.on("tool:before", () => undefined, { priorty: 1 } as never),
        () => bus.on("tool:before", () => undefined, { match: "tool.name =" }),
        () => bus.on("tool:before", () => undefined, { owner: "x" }),
        () => bus.decide("tool:after" as string, {}),
        () => bus.decide("tool:before", undefined as never),
      ];
      return wrong.map((run) => {
        try {
          return run();
        } catch (error) {
          return error instanceof HookError ? error.code : error;
        }
      });
    },
    ["HL_UNKNOWN_EVENT", "HL_UNKNOWN_OPTION", "HL_BAD_MATCH", "HL_PERMISSION", "HL_WRONG_KIND", "HL_BAD_PAYLOAD"],
  ],
];
