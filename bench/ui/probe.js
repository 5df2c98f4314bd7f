// Runs in the page before its own scripts: what the page's thread was busy with, and when its frames came.
window.probe = (() => {
  let tasks = [];
  let frames = [];
  let left = [];
  let isOn = false;
  const take = (list) => {
    for (const { startTime, duration } of list) tasks.push([startTime, startTime + duration]);
  };
  const observer = new PerformanceObserver((list) => take(list.getEntries()));
  observer.observe({ type: "longtask", buffered: true });

  const step = (at) => {
    if (!isOn) return;
    frames.push(at);
    requestAnimationFrame(step);
  };
  const isLeftOut = ([from, to]) => left.some(([start, end]) => from < end && to > start);
  const lengths = (stretches) => stretches.filter((stretch) => !isLeftOut(stretch)).map(([from, to]) => to - from);
  const takes = (input) => {
    input?.focus();
    document.execCommand("insertText", false, "s");
    return input?.value.includes("s") === true;
  };
  const isSeen = (element) => element !== null && element.getBoundingClientRect().height > 0;

  return {
    start() {
      [tasks, frames, left, isOn] = [[], [], [], true];
      requestAnimationFrame(step);
    },
    /** Milliseconds between frames, and of tasks of 50 ms or more. */
    stop() {
      isOn = false;
      take(observer.takeRecords());
      const gaps = frames.slice(1).map((at, before) => [frames[before], at]);
      return { gaps: lengths(gaps), tasks: lengths(tasks) };
    },
    now: () => performance.now(),
    /** A stretch in which the bench itself kept the thread busy. */
    leaveOut(from) {
      left.push([from, performance.now()]);
    },
    /** Milliseconds from `begun` until rows are seen and the box takes what is typed. */
    untilUsable(rows, box, begun) {
      return new Promise((resolve) => {
        const look = () => {
          if (!isSeen(document.querySelector(rows)) || (box !== "" && !takes(document.querySelector(box)))) {
            requestAnimationFrame(look);
            return;
          }
          requestAnimationFrame(() => setTimeout(() => resolve(performance.timeOrigin + performance.now() - begun)));
        };
        look();
      });
    },
    answers: () =>
      performance
        .getEntriesByType("resource")
        .filter(({ name }) => name.includes("/api/") && !name.includes("/api/stream"))
        .map(({ name, duration }) => [new URL(name).pathname, duration]),
  };
})();
