/** Draws soon after something happened, never too often, and now and then while time alone moves the picture. */

export interface PaceOptions {
  readonly draw: () => void;
  /** The shortest time between two drawings, in ms. */
  readonly fastestMs: number;
  /** How often it draws when nothing happens, in ms. */
  readonly idleMs: number;
}

export interface Pace {
  readonly happened: () => void;
  readonly stop: () => void;
}

export function createPace({ draw, fastestMs, idleMs }: PaceOptions): Pace {
  let soon: NodeJS.Timeout | undefined;
  let stopped = false;
  const drawNow = (): void => {
    soon = undefined;
    if (stopped) return;
    draw();
    idle.refresh();
  };
  // Neither timer keeps a process alive that has nothing else to do.
  const idle = setInterval(drawNow, idleMs).unref();
  return {
    happened: () => {
      if (!stopped) soon ??= setTimeout(drawNow, fastestMs).unref();
    },
    stop: () => {
      stopped = true;
      clearInterval(idle);
      clearTimeout(soon);
    },
  };
}
