/** Owns long work in steps: others are served between them. */
import type { MaybePromise } from '@holdfast/core/internal';
import { Pauses } from '@holdfast/mcp-wire/client';

/** Work that yields after each of its steps, which take much less than a millisecond, and returns its result. */
export type Steps<Result> = Generator<void, Result>;

/** Short work has ended when this returns: then it returns the result itself. Long work pauses every few milliseconds. */
export function inSlices<Result>(steps: Steps<Result>, pauses: Pauses = new Pauses()): MaybePromise<Result> {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    if (pauses.isDue) return finish(steps, pauses);
  }
}

/** For requests: all that come at once share the time of a turn of the event loop. */
export const inTurns = <Result>(steps: Steps<Result>): MaybePromise<Result> => inSlices(steps, Pauses.ofTurn());

async function finish<Result>(steps: Steps<Result>, pauses: Pauses): Promise<Result> {
  for (;;) {
    if (pauses.isDue) await pauses.pause();
    const step = steps.next();
    if (step.done) return step.value;
  }
}
