export {
  again,
  allow,
  ask,
  block,
  handled,
  inject,
  modify,
  type Outcome,
  remind,
  replace,
} from "../catalog/outcomes.js";
export { encodeFrame, type FrameFault, FrameReader, type FrameReaderOptions, type Framing } from "../wire/frame-reader.js";
export {
  EXTENSION_PROTOCOL_VERSION,
  type ExtensionAnswer,
  type ExtensionEvent,
  type ExtensionHandler,
  type ExtensionOptions,
  type ExtensionStart,
} from "./options.js";
export { runExtension } from "./run-extension.js";
