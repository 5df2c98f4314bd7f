import type { Bus, HookError } from "@hookline/core";
import type { HandlerSource } from "../../extensions/handler-source.js";
import type { InstalledHook } from "../../extensions/installed/installed-hook.js";
import { registerSource } from "../../extensions/register-source.js";
import { registerRules } from "../../rules/register-rules.js";
import type { RuleNotice } from "../../rules/rule-handler.js";
import type { ProjectScopes } from "./project-scopes.js";
import { standIn } from "./stand-in.js";

export interface HookBoardOptions {
  readonly bus: Bus;
  readonly scopes: ProjectScopes;
  readonly onError: (error: HookError) => void;
  readonly onProblem: (text: string) => void;
  readonly onNotify: (notice: RuleNotice) => void;
}

/** The hooks that are on the hub's bus. */
export interface HookBoard {
  /**
   * Makes ready what is new. Resolves with what puts it on the bus, in one go and in order; says whether anything is different. A hook that
   * was there before and does not come up in its new version stays as it was.
   */
  prepare(hooks: readonly InstalledHook[]): Promise<(renewAll: boolean) => boolean>;
  close(): Promise<void>;
}

interface Opened {
  readonly hook: InstalledHook;
  readonly source: HandlerSource | undefined;
  off: () => void;
}

export function createHookBoard(options: HookBoardOptions): HookBoard {
  const { onProblem } = options;
  let opened: readonly Opened[] = [];
  const closing = new Set<Promise<void>>();

  function close(source: HandlerSource | undefined): void {
    if (source === undefined) return;
    const closed = source.close().catch(() => {});
    closing.add(closed);
    void closed.finally(() => closing.delete(closed));
  }

  async function ready(hook: InstalledHook): Promise<Opened> {
    const old = opened.find(({ hook: { id } }) => id === hook.id);
    if (old !== undefined && old.hook.version === hook.version) return old;
    const isRunning = old?.source !== undefined && old.hook.state === "active";
    if (isRunning && hook.state === "rejected") return keep(old, hook.problems.join(" "));
    const source = hook.open?.();
    if (!isRunning || hook.state !== "active") return { hook, source, off: () => {} };
    try {
      await source?.start?.();
      return { hook, source, off: () => {} };
    } catch (error) {
      close(source);
      return keep(old, (error as Error).message);
    }
  }

  function keep(old: Opened, why: string): Opened {
    onProblem(`The hook "${old.hook.name}" stays as it was: ${why}`);
    return old;
  }

  function swap(next: readonly Opened[], renewAll: boolean): boolean {
    const different = next.findIndex((entry, index) => entry !== opened[index]);
    const isSame = different < 0 && next.length === opened.length;
    if (isSame && !renewAll) return false;
    // Those before the first that is another keep their counters.
    const kept = renewAll ? 0 : different < 0 ? next.length : different;
    for (const { off } of opened.slice(kept)) off();
    for (const entry of next.slice(kept)) entry.off = register(entry, options);
    const gone = opened.filter((entry) => !next.includes(entry));
    opened = next;
    for (const { source } of gone) close(source);
    return true;
  }

  return {
    async prepare(hooks) {
      const next = await Promise.all(hooks.map(ready));
      for (const { hook } of next)
        if (!opened.some((entry) => entry.hook === hook)) for (const problem of hook.problems) onProblem(problem);
      return (renewAll) => swap(next, renewAll);
    },
    async close() {
      for (const { off, source } of opened) {
        off();
        close(source);
      }
      opened = [];
      await Promise.all(closing);
    },
  };
}

/** Gives how to take it off again. */
function register({ hook, source }: Opened, { bus, scopes, onError, onNotify }: HookBoardOptions): () => void {
  const scope = hook.project === undefined ? undefined : scopes.of(hook.project);
  const within = scope === undefined ? {} : { scope };
  const offs = hook.broken.flatMap((guard) => standIn(bus, guard, scope));
  if (source !== undefined)
    offs.push(...registerSource(bus, source, { owner: hook.id, permissions: hook.permissions, onError, ...within }));
  const rules = registerRules(bus, hook.rules ?? [], { owner: hook.id, trust: "project", onError, onNotify, ...within });
  return () => {
    for (const off of offs) off();
    rules.close();
  };
}
