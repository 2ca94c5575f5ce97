import type { CallPhase } from '../../src/engine/call/state.ts';
import { CallBench } from './call-bench.ts';
import { transientFault } from './faults.ts';

/** A bench whose call is in the given phase. */
export function benchIn(phase: CallPhase): CallBench {
  const bench = new CallBench();
  if (phase === 'settled') {
    bench.start().end(1, { ok: true, output: 1 });
    return bench;
  }
  bench.submit();
  if (phase === 'preparing') return bench;
  bench.prepared();
  if (phase === 'admitting') return bench;
  if (phase === 'waiting') {
    bench.wait();
    return bench;
  }
  bench.permit();
  if (phase === 'running') return bench;
  bench.end(1, { ok: false, fault: transientFault() });
  if (phase === 'assessing') return bench;
  bench.assess();
  if (phase === 'consulting') return bench;
  return bench.decide();
}
