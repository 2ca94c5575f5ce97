import type { Behaviour, BuildOptions, Contender, ContenderNotes, Part } from '../port.ts';
import { best, control, rejectAsDown, has, hang, wait, settledWithin } from '../situation.ts';

const retry = { part: 'retry', retries: 1, delayMs: 60_000 } as const;
const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

/** The timers that keep the process alive after the call was answered. */
async function heldAfter(contender: Contender, parts: readonly Part[], options: BuildOptions, abort: boolean): Promise<boolean> {
  const before = timers();
  const guarded = await contender.build(parts, options);
  const controller = new AbortController();
  const work = parts.some(({ part }) => part === 'retry') ? rejectAsDown : hang;
  const call = guarded.call(work, abort ? { signal: controller.signal } : {});
  if (abort) {
    await wait(30);
    controller.abort(new Error('caller left'));
  }
  // Another behaviour checks whether the answer is late.
  control((await settledWithin(1_000, call)) !== undefined || abort, 'the timeout answers the call');
  await wait(10);
  return timers() > before;
}

async function heldResources(contender: Contender, notes: ContenderNotes, options: BuildOptions): Promise<readonly string[]> {
  const found: string[] = [];
  if (has(notes, 'retry') && has(notes, 'signal') && (await heldAfter(contender, [retry], options, true)))
    found.push('after an abort during backoff');
  const timeout = { part: 'timeout', ms: 50 } as const;
  if (await heldAfter(contender, has(notes, 'retry') ? [timeout, retry] : [timeout], options, false))
    found.push(has(notes, 'retry') ? 'after a timeout around a retry' : 'after a timeout');
  return found;
}

export const b24: Behaviour = {
  id: 'B24',
  title: 'After an abort or timeout no timer keeps the process alive',
  needs: ['timeout'],
  done: 'A retry with a delay of 60 s, ended during that delay by an abort, and by a timeout of 50 ms around it (without a retry: a timeout of hanging work).',
  expected: 'The event loop holds no more timers than before.',
  observe: (contender, notes) => {
    const observe = async (options: BuildOptions): Promise<{ ok: boolean; seen: string }> => {
      const found = await heldResources(contender, notes, options);
      return {
        ok: found.length === 0,
        seen: found.length === 0 ? 'no timer held the process' : `a timer held the process ${found.join(' and ')}`,
      };
    };
    let round = 0;
    return best(
      notes,
      [
        { how: 'as built', parts: [] },
        { how: 'with timers that do not hold the process', parts: [] },
      ],
      () => observe({ unref: round++ > 0 }),
    );
  },
};
