export { readOutcomes } from "./bus/answers.js";
export { type Bus, createBus } from "./bus/bus.js";
export { getDefaultBus, setDefaultBus } from "./bus/default-bus.js";
export { joinInjections } from "./bus/effects.js";
export { createEventQueue, type EventQueue } from "./bus/event-queue.js";
export type { EventHandle, GateHandle, TransformHandle } from "./bus/handle.js";
export { lazy } from "./bus/lazy.js";
export { mirror, type UiWriter } from "./bus/mirror.js";
export { findObjection, findRewriteKey, findVerdictKey } from "./bus/plain-shape.js";
export type { Off } from "./bus/register.js";
export type { ErrorListener } from "./bus/reporter.js";
export type { RunToolOptions, ToolRun } from "./bus/run-tool.js";
export type {
  ApprovalReply,
  ApprovalRequest,
  Approver,
  BusOptions,
  ClearFilter,
  DecideOptions,
  Decision,
  Effects,
  EventOf,
  FailureMode,
  GateAnswer,
  GateHandler,
  HandlerHealth,
  HandlerInfo,
  HandlerOf,
  HandlerOptions,
  HandlerStats,
  HookEvent,
  ObserveHandler,
  PlainAnswer,
  Reminder,
  ReminderStore,
  Source,
  Stage,
  Tap,
  TapCall,
  TapDispatch,
  TrailAction,
  TrailStep,
  TransformAnswer,
  TransformHandler,
  TransformResult,
  Verdict,
} from "./bus/types.js";
export { withheld, withheldValue } from "./bus/withheld.js";
export type { ErrorCode } from "./catalog/error-codes.js";
export { type FailureKind, HookError } from "./catalog/errors.js";
export {
  type Category,
  catalog,
  type EventClass,
  type EventKind,
  type EventSpec,
  families,
  type OutcomeKind,
  providerEvents,
} from "./catalog/events.js";
export { type EventInfo, findEvent, resolveEvent, spellingsOf } from "./catalog/names.js";
export { again, allow, ask, block, handled, inject, isOutcome, modify, type Outcome, remind, replace } from "./catalog/outcomes.js";
export { checkPath, type PathFault } from "./catalog/payload-paths.js";
// A star, so that `declare module "@hookline/core"` can extend EventPayloads and TransformValues.
export type * from "./catalog/payloads.js";
export type { ReminderSpec } from "./catalog/reminder.js";
export {
  compileMatch,
  compileToolScope,
  type Match,
  type MatchObject,
  nativeRegex,
  type PathUse,
  type Predicate,
  pathsIn,
  type RegexEngine,
  type ToolNames,
} from "./match/compile.js";
export { didYouMean } from "./text/did-you-mean.js";
export { inertLines, inertText } from "./text/inert-text.js";
