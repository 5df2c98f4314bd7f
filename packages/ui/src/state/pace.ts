const CALM_MS = 100;
/** The share of the page's time that telling and drawing may take. */
const SHARE = 0.2;
const LONGEST_MS = 1_000;

interface Pace {
  /** Something is there to tell: it will be, soon and once. */
  ask(): void;
  stop(): void;
}

/**
 * Tells at most ten times a second, at the beginning of a frame, and less often where telling and drawing take long: on a slow machine the page
 * shows less often, and stays usable. A hidden tab gets no frames, so nothing is shown there. After a silence nothing waits.
 */
export function createPace(tell: () => void): Pace {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let frame: number | undefined;
  let toldAt = 0;
  let restMs = CALM_MS;

  const draw = (): void => {
    frame = undefined;
    toldAt = performance.now();
    const begun = toldAt;
    tell();
    // A timer runs after the frame has been laid out and painted.
    setTimeout(() => {
      restMs = Math.min(LONGEST_MS, Math.max(CALM_MS, (performance.now() - begun) / SHARE));
    });
  };
  const wait = (): void => {
    timer = undefined;
    frame = requestAnimationFrame(draw);
  };
  return {
    ask() {
      if (timer !== undefined || frame !== undefined) return;
      timer = setTimeout(wait, toldAt + restMs - performance.now());
    },
    stop() {
      clearTimeout(timer);
      if (frame !== undefined) cancelAnimationFrame(frame);
    },
  };
}
