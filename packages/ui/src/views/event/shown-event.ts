import type { PlacedEvent } from "../../api/answers.js";

/** An event as the panel shows it; with what was asked for at first, where that is known and something else ran. */
export type ShownEvent = PlacedEvent & { readonly asked?: unknown };
