import { allow, ask, block, type HookEvent, inject, modify, type Outcome, type OutcomeKind, remind, replace } from "@hookline/core";
import { compileAssignments } from "./assignments.js";
import { compileReplace } from "./replacement.js";
import type { RuleContent } from "./rule.js";

/** What a rule with `do = "notify"` reports. */
export interface RuleNotice {
  readonly rule: string;
  readonly message: string;
  readonly event: string;
  readonly session: HookEvent["session"];
  readonly payload: unknown;
}

export type RuleHandler = (event: HookEvent) => Outcome | undefined;

interface ActionSpec {
  /** What the handler returns. Without one, the action works on every event. */
  readonly outcome?: OutcomeKind;
  /** The keys that the action needs. `set`, `find` and `with` are refused in every other action. */
  readonly needs: readonly NeededKey[];
  readonly stage: "rewrite" | "guard" | "observe";
  /** The event of a rule that names none. */
  readonly event: "tool:before" | "tool:result";
  /** It changes what happens, so it comes too late in stage `observe`. */
  readonly decides: boolean;
  /** A project may not use it: an allow skips the agent's own prompt, and a rewrite can undo the user's rules or deceive the model. */
  readonly loosens: boolean;
  /** Without the rule, something goes through that it would have stopped or changed. A broken rule then denies instead. */
  readonly guards: boolean;
  /** What a failure means; by default, the event decides. */
  readonly onFailure?: "open" | "closed";
  /** Compiles the rule. Throws `HL_BAD_RULE`. */
  readonly handler: (rule: RuleContent, onNotify: (notice: RuleNotice) => void) => RuleHandler;
}

export type NeededKey = "message" | "set" | "find" | "with";

/** The same answer to every event, with the rule's message or a default one. */
const always =
  (outcome: (message: string, name: string) => Outcome, defaultMessage = (_name: string) => "") =>
  ({ name, message = defaultMessage(name) }: RuleContent): RuleHandler => {
    const answer = outcome(message, name);
    return () => answer;
  };

/** The actions of a rule. Everything else about them, the schema included, is derived from this table. */
const actions = {
  block: {
    outcome: "block",
    needs: [],
    stage: "guard",
    event: "tool:before",
    decides: true,
    loosens: false,
    guards: true,
    handler: always(
      (reason) => block(reason),
      (name) => `The rule "${name}" says block.`,
    ),
  },
  ask: {
    outcome: "ask",
    needs: [],
    stage: "guard",
    event: "tool:before",
    decides: true,
    loosens: false,
    guards: true,
    handler: always(ask, (name) => `The rule "${name}" asks a person to decide.`),
  },
  allow: {
    outcome: "allow",
    needs: [],
    stage: "guard",
    event: "tool:before",
    decides: true,
    loosens: true,
    guards: false,
    handler: always(allow, (name) => `The rule "${name}" says allow.`),
  },
  modify: {
    outcome: "modify",
    needs: ["set"],
    stage: "rewrite",
    event: "tool:before",
    decides: true,
    loosens: true,
    guards: true,
    handler({ set = {}, message }) {
      const assign = compileAssignments(set);
      return ({ payload }) => {
        const next = assign(payload);
        return next === payload ? undefined : modify(next, message);
      };
    },
  },
  replace: {
    outcome: "replace",
    needs: ["find", "with"],
    stage: "guard",
    event: "tool:result",
    decides: true,
    loosens: true,
    guards: true,
    // It hides something, so a failure must withhold the value.
    onFailure: "closed",
    handler({ find = "", with: replacement = "" }) {
      const compiled = compileReplace(find, replacement);
      return ({ value }) => replace(compiled.replace(value));
    },
  },
  inject: {
    outcome: "inject",
    needs: ["message"],
    stage: "guard",
    event: "tool:before",
    decides: false,
    loosens: false,
    guards: false,
    handler: always((text) => inject(text)),
  },
  remind: {
    outcome: "remind",
    needs: ["message"],
    stage: "guard",
    event: "tool:before",
    decides: false,
    loosens: false,
    guards: false,
    handler: always((body, name) => remind({ body, dedupeKey: `rule:${name}` })),
  },
  notify: {
    needs: ["message"],
    stage: "observe",
    event: "tool:before",
    decides: false,
    loosens: false,
    guards: false,
    handler:
      ({ name, message = "" }, onNotify) =>
      ({ name: event, session, payload }) => {
        onNotify({ rule: name, message, event, session, payload });
        return undefined;
      },
  },
} as const satisfies { readonly [name: string]: ActionSpec };

/** What a rule does with the events that it matches. */
export type RuleAction = keyof typeof actions;
export const ruleActions = Object.keys(actions) as [RuleAction, ...RuleAction[]];

export function actionOf(name: RuleAction): ActionSpec {
  return actions[name];
}
