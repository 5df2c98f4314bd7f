export type Core = typeof import("@hookline/core");
type Scenario = readonly [name: string, run: (core: Core) => Promise<unknown>, outcome: unknown];

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
