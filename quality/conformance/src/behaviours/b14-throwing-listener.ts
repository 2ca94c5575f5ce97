import type { Behaviour, Contender, Part } from '../port.ts';
import { DependencyDown, describeAnswer, has, partsOf, wait, settledWithin } from '../situation.ts';

const parts: readonly Part[] = [
  { part: 'retry', retries: 2, delayMs: 10 },
  { part: 'breaker', openMs: 60_000, failures: 5 },
];

/** Work that a library left running has ended by then, even on a busy machine: its errors are not attributed to a later event. */
const quietMs = 250;

interface Run {
  readonly seen: string;
  readonly attempts: number;
}

/** One call of work that fails the given number of times, with a throwing listener or without one. */
async function run(contender: Contender, own: readonly Part[], failures: number, event?: string): Promise<Run> {
  const guarded = await contender.build(own);
  if (event !== undefined)
    guarded.listen(event, () => {
      throw new Error('listener');
    });
  let attempts = 0;
  const work = async (): Promise<string> => {
    attempts += 1;
    return attempts <= failures ? Promise.reject(new DependencyDown('dependency down')) : Promise.resolve('fine');
  };
  const seen = describeAnswer(await settledWithin(2_000, guarded.call(work)));
  return { seen, attempts };
}

const describeRun = ({ seen, attempts }: Run): string => `${seen} at attempt ${attempts}`;

export const b14: Behaviour = {
  id: 'B14',
  title: 'A throwing listener or hook cannot change an outcome',
  needs: ['listeners'],
  done: 'A listener that throws, on each event in turn. One call of work that succeeds, one of work that fails once (where there is a retry), one of work that always fails.',
  expected: 'The same answers, after the same number of attempts, as without the listener; nothing thrown into the process.',
  async observe(contender, notes) {
    let loose = 0;
    // Counted here, so that it does not end the process.
    for (const kind of ['uncaughtException', 'unhandledRejection']) {
      process.removeAllListeners(kind);
      process.on(kind, () => void (loose += 1));
    }
    const own = partsOf(notes, parts);
    const { events } = await contender.build(own);
    /** The first event whose outcome changed. */
    const wrong = new Map<string, string>();
    for (const failures of has(notes, 'retry') ? [0, 1, 3] : [0, 1]) {
      const plain = await run(contender, own, failures);
      for (const event of events.filter((each) => !wrong.has(each))) {
        loose = 0;
        const listened = await run(contender, own, failures, event);
        await wait(quietMs);
        if (listened.seen === plain.seen && listened.attempts === plain.attempts && loose === 0) continue;
        const thrown = loose > 0 ? ' and an error thrown into the process' : '';
        wrong.set(event, `\`${event}\`: ${describeRun(listened)}${thrown} instead of ${describeRun(plain)}`);
      }
    }
    return { ok: wrong.size === 0, seen: wrong.size === 0 ? 'every outcome as without listeners' : [...wrong.values()].join('; ') };
  },
};
