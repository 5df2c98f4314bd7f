export type { HubFile } from "@hookline/core/internal/machine";
export { type Hub, startHub } from "./hub.js";
export type { HubOptions } from "./lifecycle/hub-options.js";
