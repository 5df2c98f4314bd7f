import { effect, signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { fleetId } from "./access.js";

interface FleetParts {
  /** The calls on all hosts that wait. */
  readonly FleetQuestions: ComponentType<{ readonly host?: string }>;
  /** Which host's events or sessions are shown. */
  readonly HostPicker: ComponentType;
  readonly views: { readonly hosts: ComponentType; readonly audit: ComponentType };
}

/** The parts of a fleet's dashboard. A hub without a fleet loads none of them. */
export const fleetParts = signal<FleetParts | undefined>(undefined);

const RETRY_MS = 2_000;

/** Loads them as soon as the hub says that it is a fleet hub. */
export function followFleetParts(load: () => Promise<FleetParts>): void {
  const tryNow = (): void =>
    void load().then(
      (parts) => {
        fleetParts.value = parts;
      },
      () => setTimeout(tryNow, RETRY_MS),
    );
  const stop = effect(() => {
    if (fleetId.value === undefined) return;
    tryNow();
    queueMicrotask(() => stop());
  });
}
