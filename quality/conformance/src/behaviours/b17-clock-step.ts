import type { Behaviour } from '../port.ts';
import { control, rejectAsDown, succeed, wait } from '../situation.ts';

const hourMs = 3_600_000;
const RealDate = Date;
let stepMs = 0;

/** The wall clock of this process, with a step in it; every cell runs in a separate process. */
class SteppedDate extends RealDate {
  constructor(...given: [] | [value: number]) {
    super(given.length === 0 ? SteppedDate.now() : (given[0] as number));
  }
  static override now(): number {
    return RealDate.now() + stepMs;
  }
}

export const b17: Behaviour = {
  id: 'B17',
  title: 'A step of the wall clock neither lengthens nor shortens the open period',
  needs: ['breaker'],
  done: 'Opened a circuit for 1 s and set the wall clock an hour ahead at once; opened another, set it an hour back, and waited 1.5 s.',
  expected: 'The first circuit still refuses, the second lets a call through.',
  async observe(contender) {
    globalThis.Date = SteppedDate as unknown as DateConstructor;
    const afterStep = async (ms: number, waitMs: number): Promise<boolean> => {
      const guarded = await contender.build([{ part: 'breaker', openMs: 1_000 }]);
      await guarded.call(rejectAsDown);
      control(guarded.circuit() === 'open', 'a failure opens the circuit');
      stepMs += ms;
      await wait(waitMs);
      return (await guarded.call(succeed)).kind === 'value';
    };
    const shortened = await afterStep(hourMs, 0);
    const lengthened = !(await afterStep(-hourMs, 1_500));
    const seen = [
      ...(shortened ? ['an hour ahead ended the open period at once'] : []),
      ...(lengthened ? ['an hour back kept it open past its end'] : []),
    ];
    return { ok: seen.length === 0, seen: seen.length === 0 ? 'the open period kept its length' : seen.join('; ') };
  },
};
