export { type HostedHook, type HostedHooks, type HostOptions, hostHooks } from "./host-hooks.js";
