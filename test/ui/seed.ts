import type { PageHub } from "../support/page-hub.ts";

export const CONFIG = `
[[rule]]
name = "ask-before-push"
event = "tool:before"
match = "tool.input.command contains 'git push'"
do = "ask"
message = "A push leaves this machine. Are you sure?"

[[rule]]
name = "no-secrets"
event = "tool:before"
match = "tool.input.command contains '.env'"
do = "block"
message = "Secrets are not for agents."

[[rule]]
name = "old-rule"
enabled = false
event = "tool:before"
match = "tool.input.command == 'never'"
do = "block"
message = "Long switched off."
`;

/** What must be text and nothing else. */
export const HOSTILE = {
  script: '<script>window.hacked=1</script><img src=x onerror="window.hacked=2">',
  ansi: "\u001b[31mred\u001b]8;;http://evil.example\u0007link\u001b]52;c;aGk=\u0007",
  bidi: "safe\u202egpj.exe",
  long: "x".repeat(1_000_000),
};

let made = 0;

interface Sent {
  readonly event: string;
  readonly payload: object;
  readonly session?: string;
  /** The session that started it. */
  readonly parent?: string;
  readonly app?: string;
  readonly decision?: object;
  readonly at?: number;
}

function envelopeOf({ event, payload, session = "s-main", parent, app = "my-agent", decision, at = Date.now() }: Sent): string {
  made++;
  const ref = { id: session, ...(parent !== undefined && { parentId: parent }) };
  const instance = `i-${app.replace(/\W/g, "")}`.slice(0, 40);
  return JSON.stringify({
    v: 2,
    id: `t${process.pid}x${String(made).padStart(6, "0")}`,
    seq: made,
    at: new Date(at).toISOString(),
    event,
    // Agents are attached by hooks, without a process of their own.
    source: { app, host: "atlas", pid: app === "my-agent" ? 4_000 : 0, instance },
    session: ref,
    payload: { session: ref, ...payload },
    hops: [instance],
    ...(decision !== undefined && { decision }),
  });
}

export async function send(hub: PageHub, ...events: readonly Sent[]): Promise<void> {
  const { stored, ...told } = await hub.ask<{ readonly stored?: number }>("/api/hooks/ingest", `${events.map(envelopeOf).join("\n")}\n`);
  if (stored !== events.length) throw new Error(`The hub did not store what was sent: ${JSON.stringify(told)}`);
}

/** A tool call as an agent's hook asks about it: the answer comes when a person has given one. */
export function askAsAgent(
  hub: PageHub,
  command: string,
): Promise<{ readonly hookSpecificOutput?: { readonly permissionDecision?: string } }> {
  const answer = hub.ask<{ readonly hookSpecificOutput?: object }>("/api/agents/claude-code/PreToolUse?plain=1", {
    session_id: "s-claude",
    transcript_path: "/none",
    cwd: hub.home.folder,
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command },
    tool_use_id: `call-${++made}`,
  });
  // A test that fails before it looks at the answer is one failure, not two.
  answer.catch(() => {});
  return answer;
}

/** Some minutes of work of three agents, with calls of every fate. */
export async function seedWork(hub: PageHub, minutes = 20): Promise<void> {
  const sent: Sent[] = [];
  for (let minute = minutes; minute >= 0; minute--)
    for (let call = 0; call < 3 + ((minute * 7) % 9); call++) sent.push(...callAt(minute, call));
  await send(hub, ...sent);
  await hub.home.run("demo", "--fast");
  for (const command of ["npm test", "cat .env"])
    await hub.ask("/api/decide", {
      event: "tool:before",
      payload: { session: { id: "s-main" }, tool: { name: "Bash", input: { command } } },
    });
}

const TOOLS: readonly (readonly [string, object])[] = [
  ["Bash", { command: "npm test" }],
  ["Edit", { file_path: "src/auth/session.ts", old_string: "a", new_string: "b" }],
  ["Read", { file_path: "package.json" }],
  ["Bash", { command: "cat .env" }],
  ["WebFetch", { url: "https://docs.example/hooks" }],
  ["Bash", { command: "git push origin main" }],
];

function callAt(minute: number, call: number): Sent[] {
  const [name, input] = TOOLS[(minute * 3 + call) % TOOLS.length] ?? ["Bash", {}];
  const text = JSON.stringify(input);
  const [isBad, isAsked] = [text.includes(".env"), text.includes("push")];
  const app = ["web-agent", "shop-agent", "my-agent"][call % 3] ?? "my-agent";
  const at = Date.now() - minute * 60_000 - call * 9_000;
  const tool = { name, callId: `c${minute}-${call}`, input };
  const base = { session: `${app}-${minute % 4}`, app };
  const took = 120 + ((minute * 37 + call * 211) % 900);
  return [
    { ...base, event: "tool:before", at, payload: { tool }, decision: decisionOf(isBad, isAsked) },
    { ...base, event: "tool:after", at: at + took, payload: { tool: { ...tool, durationMs: took }, status: isBad ? "blocked" : "ok" } },
    ...(call === 0
      ? [{ ...base, event: "turn:end", at: at + took + 1, payload: { usage: { inputTokens: 1_200, outputTokens: 310, costUsd: 0.011 } } }]
      : []),
  ];
}

function decisionOf(isBad: boolean, isAsked: boolean): object {
  const step = { stage: "guard", round: 0, durationMs: 0.4 };
  const reason = isBad ? "Secrets are not for agents." : "A push leaves this machine. Are you sure?";
  return {
    verdict: isBad ? "deny" : isAsked ? "allow" : "pass",
    ...(isBad && { reason, by: "no-secrets", actor: rule("no-secrets") }),
    ...(isAsked && { reason: "It is my branch.", by: "Ann", actor: { kind: "person", name: "Ann", at: "hub" } }),
    modified: false,
    endLoop: false,
    trail: [
      { ...step, actor: rule("no-secrets"), action: isBad ? "deny" : "no-match", ...(isBad && { reason }) },
      ...(isBad ? [] : [{ ...step, actor: rule("ask-before-push"), action: isAsked ? "ask" : "no-match", ...(isAsked && { reason }) }]),
    ],
  };
}

function rule(name: string): object {
  return { kind: "rule", name, owner: "rules", at: "hub" };
}
