import type { Bus } from "@hookline/core";
import type { startFakeModel } from "../agents/fake-model/fake-model.ts";

/** One call that the fake model makes of the tool `shell`. */
interface Call {
  readonly command: string;
  readonly callId: string;
}

interface Played {
  /** What the tool really ran. */
  readonly ran: readonly string[];
  /** All that the model was sent, as text. */
  readonly told: string;
}

/** What a driver exports: an agent of its SDK with a tool `shell` and a model that makes these calls one after the other. */
export type Driver = (bus: Bus, calls: readonly Call[], start: typeof startFakeModel) => Promise<Played>;
export type Play = (bus: Bus, calls: readonly Call[]) => Promise<Played>;
