export { type HostedHooks, type HostOptions, hostHooks } from "./host-hooks.js";
