import type { Behaviour } from '../port.ts';
import { control, describeAnswer, hang, wait } from '../situation.ts';

export const b10: Behaviour = {
  id: 'B10',
  title: 'One call’s timeout never aborts a sibling',
  needs: ['timeout'],
  done: 'Two calls under a timeout of 400 ms, the second started 300 ms after the first and needing 200 ms. The first hung and timed out. A third call began afterwards.',
  expected: 'The second has its value; the signals of the second and the third are not aborted.',
  async observe(contender) {
    const guarded = await contender.build([{ part: 'timeout', ms: 400 }]);
    const first = guarded.call(hang);
    await wait(300);
    let aborted = false;
    const second = await guarded.call(async (signal) => {
      await wait(200);
      aborted = signal.aborted;
      signal.throwIfAborted();
      return 'fine';
    });
    control((await first).kind === 'timed out', 'the first call times out');
    let abortedBefore = false;
    await guarded.call((signal) => {
      abortedBefore = signal.aborted;
      return Promise.resolve('fine');
    });
    const seen = [`the second got ${describeAnswer(second)}`];
    if (aborted) seen.push('its signal was aborted');
    if (abortedBefore) seen.push('the third started with an aborted signal');
    return { ok: second.kind === 'value' && !aborted && !abortedBefore, seen: seen.join(', ') };
  },
};
