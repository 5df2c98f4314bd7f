import { hub } from "../../api/calls.js";
import { fleetWaiting } from "../../state/approvals.js";
import { connection } from "../../state/connection.js";

const POLL_MS = 5_000;

/** Counts the calls on the hosts that wait, for the navigation and the title. */
export function followWaiting(): void {
  const look = async (): Promise<void> => {
    if (connection.value !== "live") return;
    try {
      fleetWaiting.value = (await hub.fleetQuestions()).questions.length;
    } catch {
      // The connection says that the hub is away; what was known stays.
    }
  };
  void look();
  setInterval(() => void look(), POLL_MS);
}
