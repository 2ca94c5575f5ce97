/** Limits how often the view is redrawn: soon after an event, and at a slow interval in between, since elapsed times change too. */

export interface RedrawSchedulerOptions {
  readonly draw: () => void;
  /** The minimum time between two redraws. */
  readonly minIntervalMs: number;
  /** The time between redraws without events. */
  readonly idleIntervalMs: number;
}

export interface RedrawScheduler {
  readonly requestRedraw: () => void;
  readonly stop: () => void;
}

export function createRedrawScheduler({ draw, minIntervalMs, idleIntervalMs }: RedrawSchedulerOptions): RedrawScheduler {
  let pending: NodeJS.Timeout | undefined;
  let stopped = false;
  const drawNow = (): void => {
    pending = undefined;
    if (stopped) return;
    draw();
    idle.refresh();
  };
  // The timers do not keep the process alive.
  const idle = setInterval(drawNow, idleIntervalMs).unref();
  return {
    requestRedraw: () => {
      if (!stopped) pending ??= setTimeout(drawNow, minIntervalMs).unref();
    },
    stop: () => {
      stopped = true;
      clearInterval(idle);
      clearTimeout(pending);
    },
  };
}
