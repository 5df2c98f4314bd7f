import { describe, expect, it } from "vitest";
import { WakeUp } from "./wake-up.js";

describe("WakeUp", () => {
  it("ends a sleep, and keeps a call that came before it", async () => {
    const wakeUp = new WakeUp();
    const sleeping = wakeUp.sleep(1_000_000);
    wakeUp.call();
    await sleeping;
    await wakeUp.sleep(1_000_000);
    wakeUp.forget();
    const again = wakeUp.sleep(1_000_000);
    setImmediate(() => wakeUp.call());
    await again;
    wakeUp.forget();
    expect(await wakeUp.sleep(1)).toBeUndefined();
  });
});
