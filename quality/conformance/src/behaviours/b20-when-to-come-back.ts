import type { Behaviour } from '../port.ts';
import { control, rejectAsDown, succeed } from '../situation.ts';

const openMs = 30_000;

export const b20: Behaviour = {
  id: 'B20',
  title: 'The open-circuit refusal carries when to come back',
  needs: ['breaker'],
  done: 'Opened a circuit for 30 s and made a call.',
  expected: 'The refusal has a field with the remaining time.',
  async observe(contender) {
    const guarded = await contender.build([{ part: 'breaker', openMs }]);
    await guarded.call(rejectAsDown);
    const answer = await guarded.call(succeed);
    control(answer.kind === 'refused', 'the call is refused');
    const { retryAfterMs, message } = answer;
    const ok = retryAfterMs !== undefined && retryAfterMs > 0 && retryAfterMs <= openMs;
    return { ok, seen: ok ? 'the refusal says how long it is' : `"${message}", without a time` };
  },
};
