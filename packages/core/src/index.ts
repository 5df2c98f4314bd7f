export { type Bus, createBus } from "./bus/bus.js";
export { getDefaultBus, setDefaultBus } from "./bus/default-bus.js";
export { joinInjections } from "./bus/effects.js";
export { createEventQueue, type EventQueue } from "./bus/event-queue.js";
export type { EventHandle, GateHandle, TransformHandle } from "./bus/handle.js";
export { lazy } from "./bus/lazy.js";
export { mirror, type UiWriter } from "./bus/mirror.js";
export type { Off } from "./bus/register.js";
export type { ErrorListener } from "./bus/reporter.js";
export type { RunToolOptions, ToolRun } from "./bus/run-tool.js";
export type {
  ApprovalReply,
  ApprovalRequest,
  Approver,
  Ask,
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
export type { Actor, ActorKind } from "./catalog/actor.js";
export type { ErrorCode } from "./catalog/error-codes.js";
export { errorText, type FailureKind, type Fix, HookError, type HookErrorDetails } from "./catalog/errors.js";
export {
  type Category,
  catalog,
  type EventClass,
  type EventKind,
  type EventSpec,
  type OutcomeKind,
} from "./catalog/events.js";
export { type EventInfo, findEvent } from "./catalog/names.js";
export {
  again,
  allow,
  ask,
  type BlockOptions,
  block,
  type EffectOptions,
  handled,
  inject,
  modify,
  type Outcome,
  remind,
  replace,
} from "./catalog/outcomes.js";
// A star, so that `declare module "@hookline/core"` can extend EventPayloads and TransformValues.
export type * from "./catalog/payloads.js";
export type { ReminderSpec } from "./catalog/reminder.js";
export type { Match, MatchFunction, MatchObject, RegexEngine } from "./match/compile.js";
