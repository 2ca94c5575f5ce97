import type { Behaviour, Contender, Guarded } from '../port.ts';
import { control, DependencyDown, rejectAsDown, succeed, gate, openMs, wait, settledWithin } from '../situation.ts';
import type { Gate } from '../situation.ts';

interface Stale {
  readonly guarded: Guarded;
  /** A call that began before the circuit opened. */
  readonly early: Gate<string>;
  readonly earlyCall: Promise<unknown>;
}

async function openWithCallInFlight(contender: Contender, period: number): Promise<Stale> {
  const guarded = await contender.build([{ part: 'breaker', openMs: period }]);
  const early = gate<string>();
  const earlyCall = guarded.call(() => early.promise);
  await wait(10);
  await guarded.call(rejectAsDown);
  control(guarded.circuit() !== 'closed', 'a failure opens the circuit');
  return { guarded, early, earlyCall };
}

/** How a call from before the opening changed the state while a probe was running. */
async function duringProbe(contender: Contender, settle: (early: Gate<string>) => void): Promise<string | undefined> {
  const { guarded, early, earlyCall } = await openWithCallInFlight(contender, openMs);
  await wait(openMs + 250);
  const answer = gate<string>();
  const probe = guarded.call(() => answer.promise);
  await wait(10);
  control(guarded.circuit() === 'half-open', 'the probe runs in half-open');
  settle(early);
  await settledWithin(300, earlyCall);
  const circuit = guarded.circuit();
  answer.open('fine');
  await settledWithin(300, probe);
  if (circuit !== 'half-open') return `made it ${circuit}`;
  return guarded.circuit() === 'closed' ? undefined : `left it ${guarded.circuit()} after the probe succeeded`;
}

export const b06: Behaviour = {
  id: 'B6',
  title: 'Results of calls begun before a transition do not move the state',
  needs: ['breaker'],
  done: 'A call was in flight when the circuit opened. It then settled: with a success while open; with a failure, and with a success, while a later probe was running.',
  expected: 'None of the three moves the state; the probe’s own success closes the circuit.',
  async observe(contender) {
    const moved: string[] = [];
    const { guarded, early, earlyCall } = await openWithCallInFlight(contender, 60_000);
    early.open('fine');
    await settledWithin(300, earlyCall);
    if (guarded.circuit() === 'closed') moved.push('its success while open made it closed');
    const failed = await duringProbe(contender, (gateOfEarly) => gateOfEarly.fail(new DependencyDown('dependency down')));
    if (failed) moved.push(`its failure during the probe ${failed}`);
    const succeeded = await duringProbe(contender, (gateOfEarly) => gateOfEarly.open('fine'));
    if (succeeded) moved.push(`its success during the probe ${succeeded}`);
    await guarded.call(succeed);
    return { ok: moved.length === 0, seen: moved.length === 0 ? 'the state did not move' : moved.join('; ') };
  },
};
