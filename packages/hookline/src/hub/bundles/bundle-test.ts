import { createBus, errorText, HookError } from "@hookline/core";
import type { BundleContent } from "../../bundles/bundle-content.js";
import type { OwnedSource } from "../../extensions/handler-source.js";
import { ruleRegex } from "../../rules/regex/rule-regex.js";
import { registerRules } from "../../rules/register-rules.js";
import { exampleFaults, testRules } from "../../rules/test-rules.js";
import type { OpenedHook } from "../policy/guard-set.js";
import type { SelftestGuard } from "../protocol.js";
import { runSelftest } from "../selftest/selftest.js";

const LIMIT_MS = 120_000;

/**
 * Tries a bundle before it is in force: its rules compile and their examples hold, its hooks start and deny their canaries. Throws
 * `HL_BUNDLE`. It runs the bundle's code, so its signature has been checked before.
 */
export async function testBundle({ rules, hooks }: BundleContent): Promise<void> {
  const faults = [...compileFaults(rules), ...exampleFaults(await testRules(rules))];
  if (faults.length === 0) faults.push(...(await hookFaults(hooks)));
  if (faults.length > 0) throw new HookError("HL_BUNDLE", `The policy bundle does not pass its own tests: ${faults.slice(0, 5).join(" ")}`);
}

function compileFaults(rules: BundleContent["rules"]): string[] {
  const faults: string[] = [];
  const bus = createBus({ source: "bundle-test", enabled: true, onAsk: "return", regex: ruleRegex, onError: () => {} });
  registerRules(bus, rules, { onError: (error) => void faults.push(errorText(error)) }).close();
  return faults;
}

async function hookFaults(hooks: BundleContent["hooks"]): Promise<string[]> {
  const opened = hooks.flatMap((hook): (OpenedHook & { readonly source: OwnedSource })[] => {
    const source = hook.state === "active" ? hook.open?.() : undefined;
    return source === undefined ? [] : [{ hook, source }];
  });
  try {
    const started = await Promise.all(opened.map(startFault));
    const faults = started.filter((fault) => fault !== undefined);
    if (faults.length > 0) return faults;
    const { guards } = await runSelftest({ rules: [], broken: [], hooks: opened }, { signal: AbortSignal.timeout(LIMIT_MS) });
    return guards.filter(({ state }) => !FINE.includes(state)).map(guardFault);
  } finally {
    await Promise.all(opened.map(({ source }) => source.close().catch(() => {})));
  }
}

async function startFault({ hook, source }: OpenedHook): Promise<string | undefined> {
  try {
    await source?.start?.();
    return undefined;
  } catch (error) {
    return `The hook "${hook.name}" does not start: ${errorText(error)}`;
  }
}

const FINE: readonly SelftestGuard["state"][] = ["denied", "asked", "no canary"];

function guardFault({ name, state, canaries }: SelftestGuard): string {
  const [first] = canaries.filter((canary) => canary.state === state);
  return `The hook "${name}" does not deny its canary (${state}). ${first?.reason ?? ""}`.trim();
}
