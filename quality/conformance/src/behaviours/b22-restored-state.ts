import type { Behaviour, Contender, Guarded, Part } from '../port.ts';
import { control, rejectAsDown, succeed, wait } from '../situation.ts';

const openMs = 1_000;

/** Serialises the state, as for another process. */
async function moveState(contender: Contender, guarded: Guarded, parts: readonly Part[]): Promise<Guarded> {
  const saved: unknown = JSON.parse(JSON.stringify(await guarded.save()));
  return contender.build(parts, { saves: true, saved });
}

export const b22: Behaviour = {
  id: 'B22',
  title: 'Restored state equals saved state',
  needs: ['breaker', 'saved state'],
  done: 'A breaker that was 1.3 s old opened for 1 s, was saved 200 ms later and restored from the saved string. Another, which opens after three failures, was saved after two.',
  expected: 'The first still refuses, and lets a call through when that second is over; the second breaker opens at one more failure.',
  async observe(contender) {
    const wrong: string[] = [];
    const parts: readonly Part[] = [{ part: 'breaker', openMs }];
    const guarded = await contender.build(parts, { saves: true });
    await wait(1_300);
    await guarded.call(rejectAsDown);
    control(guarded.circuit() === 'open', 'a failure opens the circuit');
    await wait(200);
    const restored = await moveState(contender, guarded, parts);
    if ((await restored.call(succeed)).kind !== 'refused') wrong.push('an open circuit came back letting calls through');
    else {
      await wait(openMs + 300);
      if ((await restored.call(succeed)).kind !== 'value') wrong.push('an open circuit came back staying open');
    }
    const counting: readonly Part[] = [{ part: 'breaker', openMs: 60_000, failures: 3 }];
    const counted = await contender.build(counting, { saves: true });
    for (let failure = 0; failure < 2; failure++) await counted.call(rejectAsDown);
    control(counted.circuit() === 'closed', 'two failures leave it closed');
    const again = await moveState(contender, counted, counting);
    await again.call(rejectAsDown);
    if (again.circuit() !== 'open') wrong.push('the count of failures was lost');
    return { ok: wrong.length === 0, seen: wrong.length === 0 ? 'as it was saved' : wrong.join('; ') };
  },
};
