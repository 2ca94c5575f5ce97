import type { Behaviour, Contender, ContenderNotes } from '../port.ts';
import { control, describeAnswer, DependencyDown, rejectAsDown, succeed, has, wait } from '../situation.ts';

const longMs = 2 ** 31 + 5;

async function retryDelay(contender: Contender): Promise<string | undefined> {
  const guarded = await contender.build([{ part: 'retry', retries: 1, delayMs: longMs }]);
  let attempts = 0;
  void guarded.call(async () => {
    attempts += 1;
    return Promise.reject(new DependencyDown('dependency down'));
  });
  await wait(300);
  control(attempts > 0, 'the first attempt ran');
  return attempts === 1 ? undefined : 'a retry did not wait';
}

async function timeoutLimit(contender: Contender): Promise<string | undefined> {
  const guarded = await contender.build([{ part: 'timeout', ms: longMs }]);
  const answer = await guarded.call(() => wait(200));
  return answer.kind === 'value' ? undefined : `a timeout struck: ${describeAnswer(answer)}`;
}

async function openPeriod(contender: Contender): Promise<string | undefined> {
  const guarded = await contender.build([{ part: 'breaker', openMs: longMs }]);
  await guarded.call(rejectAsDown);
  control(guarded.circuit() === 'open', 'a failure opens the circuit');
  await wait(300);
  const answer = await guarded.call(succeed);
  return answer.kind === 'refused' ? undefined : 'an open circuit let a call through';
}

const checks = (notes: ContenderNotes): readonly ((contender: Contender) => Promise<string | undefined>)[] => [
  ...(has(notes, 'retry') ? [retryDelay] : []),
  ...(has(notes, 'timeout') ? [timeoutLimit] : []),
  ...(has(notes, 'breaker') ? [openPeriod] : []),
];

export const b16: Behaviour = {
  id: 'B16',
  title: 'A delay over 2³¹−1 ms is not turned into 1 ms',
  needs: [],
  done: 'A delay of 2³¹+5 ms wherever the library accepts one: between attempts, as a timeout, as the open period. Checked after 200 to 300 ms.',
  expected: 'Nothing has fired.',
  async observe(contender, notes) {
    const fired: string[] = [];
    for (const check of checks(notes)) {
      const seen = await check(contender);
      if (seen) fired.push(seen);
    }
    return { ok: fired.length === 0, seen: fired.length === 0 ? 'nothing fired' : fired.join('; ') };
  },
};
