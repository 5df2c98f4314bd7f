import { join } from "node:path";
import { inertText } from "@hookline/core/internal/text";
import { askCanary } from "../../agents/attach/ask-canary.js";
import { askProgram, type FoundProgram, readPrograms } from "../../agents/attach/find-program.js";
import { readRefusedCalls } from "../../agents/attach/refused-calls.js";
import { readMissTotals } from "../../agents/client/misses.js";
import { canBeStrict } from "../../agents/shared/contract.js";
import { readAttachSetting } from "../agents/attach-setting.js";
import { cautionsOf, noticesOf } from "../agents/cautions.js";
import { guardLevel, levelCaution, strictText, triedText, versionCaution } from "../agents/contract-text.js";
import { countText } from "../format/amounts.js";
import { type AgentFault, type AttachedAgent, attachCommand, attachedAgents, lookAtEach } from "./attached-agents.js";
import { type Check, type Finding, fail, ok, skip, warn } from "./check.js";
import type { Facts } from "./facts.js";

const A_DAY_MS = 86_400_000;
const FIX = "hookline agents";

/** Whether attached agents ask the hub. */
export const agentChecks: readonly Check[] = [
  {
    id: "agent-programs",
    title: "Attached agents have not changed since they were attached",
    fix: FIX,
    look: (facts) => lookAtEach(facts, (agent) => findMove(agent, facts), warn),
  },
  {
    id: "agent-contracts",
    title: "Attached agents have versions that Hookline knows",
    fix: FIX,
    look: (facts) => lookAtEach(facts, (agent) => findUnknown(agent, facts), warn),
  },
  {
    id: "agent-strict",
    title: "Agents that were attached with --strict can be denied everything",
    fix: FIX,
    look: lookAtStrict,
  },
  {
    id: "agent-active",
    title: "Attached agents can run their hooks",
    fix: FIX,
    look: (facts) => lookAtEach(facts, (agent) => findCaution(agent, facts.env), warn),
  },
  {
    id: "agent-misses",
    title: "The hub is asked about every call",
    fix: "hookline up --detach",
    look({ state, hub }) {
      const recent = readMissTotals(join(state, "attach")).filter(isRecent);
      if (recent.length === 0) return ok("no call was missed in the last day");
      const texts = recent.map(
        ({ agent, reason, count, lastAt }) => `${agent}: ${countText(count, "call")}, ${meaningOf(reason)}, last at ${lastAt}`,
      );
      return warn(texts.join("\n"), hub === undefined ? undefined : FIX);
    },
  },
  {
    id: "agent-payloads",
    title: "The hub can judge every call of attached agents",
    fix: "hookline tail --no-follow --decision deny --since 1d",
    look({ state }) {
      const recent = readRefusedCalls(join(state, "attach")).filter(isRecent);
      if (recent.length === 0) return ok("every call could be judged in the last day");
      const texts = recent.map(
        ({ agent, event, code, message, count, lastAt }) =>
          `${agent}: ${countText(count, "call")} at ${inertText(event)}, last at ${inertText(lastAt)}. ${inertText(message)} (${inertText(code)})`,
      );
      return warn(texts.join("\n"));
    },
  },
  {
    id: "agent-canary",
    title: "Attached agents reach the hub",
    fix: FIX,
    async look(facts) {
      if (facts.hub === undefined || facts.running === undefined) return skip("the hub cannot be asked");
      const { url: now } = facts.running;
      const setting = readAttachSetting(facts.env);
      // The token is sent only to the hub.
      const asking = attachedAgents(facts).filter(({ attached: { url = now } }) => url === now);
      const answers = await Promise.all(asking.map(({ attached, definition }) => askCanary(definition, attached, setting)));
      const lost = asking.flatMap(({ attached }, at) =>
        answers[at]?.isFromHub === true ? [] : [{ detail: `${attached.path}: ${answers[at]?.how}`, fix: attachCommand(attached) }],
      );
      if (lost.length > 0) return fail(lost.map(({ detail }) => detail).join("\n"), lost.map(({ fix }) => fix).join("; "));
      return ok(asking.length === 0 ? "no agent is attached" : `the canary was denied for ${asking.length} of ${asking.length}`);
    },
  },
];

function isRecent({ lastAt }: { readonly lastAt: string }): boolean {
  return !(Date.now() - Date.parse(lastAt) > A_DAY_MS);
}

function findMove({ attached: { agent }, definition: { program, contracts } }: AttachedAgent, { env }: Facts): AgentFault | undefined {
  const before = readPrograms(readAttachSetting(env).folder)[agent];
  if (before === undefined) return undefined;
  const now = askProgram(program, env);
  const was = `${agent}: it was ${nameOf(before)} when it was attached`;
  if (now === undefined) return { detail: `${was}, and is no longer in PATH`, fix: `hookline detach ${agent}` };
  if (now.path === before.path && now.version === before.version) return undefined;
  return { detail: `${was}, and is ${nameOf(now)} now (${triedText(contracts)})`, fix: `hookline attach ${agent} --check` };
}

/** The canary of another check tries such a version. */
function findUnknown({ attached: { agent }, definition }: AttachedAgent, { env }: Facts): AgentFault | undefined {
  const detail = versionCaution(definition, askProgram(definition.program, env)?.version);
  return detail === undefined ? undefined : { detail, fix: `hookline attach ${agent} --check` };
}

/** Agents that were attached without `--strict` are named as such: calls continue there when the hub does not answer. */
function lookAtStrict(facts: Facts): Finding {
  const finding = lookAtEach(facts, (agent) => findLoose(agent, facts));
  const all = attachedAgents(facts);
  if (finding.state !== "ok" || all.length === 0) return finding;
  const strict = all.flatMap(({ attached: { agent, isStrict }, definition }) =>
    isStrict ? [strictName(agent, strictText(definition))] : [],
  );
  const loose = all.flatMap(({ attached: { agent, isStrict } }) => (isStrict ? [] : [agent]));
  const without = loose.length === 0 ? "" : `; without --strict: ${loose.join(", ")}`;
  return ok(`${strict.length === 0 ? "no agent is strict" : strict.join(", ")}${without}`);
}

function strictName(agent: string, level: string): string {
  return level === "strict" ? agent : `${agent} (${level})`;
}

/** An agent may have been replaced by another version since it was attached. */
function findLoose({ attached: { agent, isStrict }, definition }: AttachedAgent, { env }: Facts): AgentFault | undefined {
  const version = askProgram(definition.program, env)?.version;
  if (!isStrict || canBeStrict(guardLevel(definition, version))) return undefined;
  return { detail: levelCaution(definition, version) ?? agent, fix: `hookline attach ${agent} --no-strict` };
}

function nameOf({ path, version }: FoundProgram): string {
  return version === undefined ? path : `${version} at ${path}`;
}

function findCaution({ attached, definition }: AttachedAgent, env: NodeJS.ProcessEnv): AgentFault | undefined {
  const cautions = [...cautionsOf(definition, attached, env), ...noticesOf(definition, attached, env)];
  if (cautions.length === 0) return undefined;
  return { detail: `${attached.agent}: ${cautions.join(" ")}`, fix: `hookline attach ${attached.agent} --check` };
}

/** The reasons that the script records. */
const meanings: { readonly [reason: string]: string } = {
  connect: "no hub listened",
  status: "the hub refused",
  time: "the hub was too slow",
  broken: "the hub closed the connection",
  client: "the client is missing or damaged",
  socket: "other users could have replaced the hub's socket",
  seal: "another program answered",
  answer: "the answer was malformed",
  key: "the key is missing, malformed, or open to other users",
  cut: "the client was interrupted",
};

function meaningOf(reason: string): string {
  return `${meanings[reason] ?? "no answer"} (${reason})`;
}
