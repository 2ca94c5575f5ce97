import { getEventListeners } from 'node:events';
import type { Behaviour, Part } from '../port.ts';
import { control, gate, partsOf, wait } from '../situation.ts';

const calls = 1_000;
const parts: readonly Part[] = [
  { part: 'retry', retries: 1, delayMs: 10 },
  { part: 'timeout', ms: 60_000 },
];

export const b21: Behaviour = {
  id: 'B21',
  title: '1,000 parallel calls on one signal: no MaxListenersExceededWarning, no listener left',
  needs: ['signal'],
  done: '1,000 calls at once with the same signal, under retry and timeout; all succeeded.',
  expected: 'No warning while they ran, no listener on the signal afterwards.',
  async observe(contender, notes) {
    let warnings = 0;
    process.on('warning', ({ name }) => {
      if (name === 'MaxListenersExceededWarning') warnings += 1;
    });
    const guarded = await contender.build(partsOf(notes, parts));
    const { signal } = new AbortController();
    const answer = gate<string>();
    const running = Array.from({ length: calls }, () => guarded.call(() => answer.promise, { signal }));
    await wait(100);
    answer.open('fine');
    const answers = await Promise.all(running);
    control(
      answers.every(({ kind }) => kind === 'value'),
      'all calls succeed',
    );
    await wait(50);
    const left = getEventListeners(signal, 'abort').length;
    const warned = warnings === 0 ? 'no warning' : 'MaxListenersExceededWarning';
    return { ok: warnings === 0 && left === 0, seen: `${warned}, ${left} listeners left` };
  },
};
