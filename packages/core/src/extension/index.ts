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
} from "../catalog/outcomes.js";
export type {
  ExtensionAnswer,
  ExtensionEvent,
  ExtensionHandler,
  ExtensionOptions,
  ExtensionStart,
} from "./options.js";
export { runExtension } from "./run-extension.js";
