export { type CommandOptions, commandsOf, type EventWithPayload } from "./commands-of.js";
export type { ArgFact, CommandFact, Destroyed, FactName, Flow, GitFact, OptionFact, PathFact, Source, SqlFact } from "./facts.js";
export { pathMatches } from "./paths.js";
