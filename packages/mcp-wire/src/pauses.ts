/**
 * Lets the event loop serve others while long work runs: `if (pauses.isDue) await pauses.pause()` between its parts.
 *
 * In each turn of the event loop one paused work resumes: many of them together hold it no longer than one.
 */
export class Pauses {
  #started: number = performance.now();

  /** Of a work that shares the time of this turn of the event loop with others that begin in it. */
  static ofTurn(): Pauses {
    const pauses = new Pauses();
    pauses.#started = startOfTurn();
    return pauses;
  }

  /** Whether the work has run for 5 ms since the last pause. */
  get isDue(): boolean {
    return performance.now() - this.#started > 5;
  }

  /** Others have just run. */
  restart(): void {
    this.#started = performance.now();
  }

  /** Resolves when others have run. */
  async pause(): Promise<void> {
    await new Promise<void>((resolve) => {
      if (paused.push(resolve) === 1) setImmediate(resumeOne);
    });
    this.restart();
  }
}

/** When the first work of this turn of the event loop began. */
let turnStarted: number | undefined;

function startOfTurn(): number {
  if (turnStarted === undefined) {
    turnStarted = performance.now();
    setImmediate(() => (turnStarted = undefined));
  }
  return turnStarted;
}

/** The longest paused first. */
const paused: (() => void)[] = [];

function resumeOne(): void {
  paused.shift()?.();
  if (paused.length > 0) setImmediate(resumeOne);
}
