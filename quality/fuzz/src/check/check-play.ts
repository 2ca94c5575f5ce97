/** Owns checking a run: reports every violation as text. */
import type { Play } from '../play/observation.ts';
import { checkAttempts } from './attempts.ts';
import { caseOf } from './case.ts';
import { checkCircuits } from './circuits.ts';
import { checkGates, checkRecoveryWaits, checkSharedWaits } from './gates.ts';
import { checkLeftovers } from './leftovers.ts';
import { checkResults } from './results.ts';
import { checkTimes } from './times.ts';
import { checkTraces } from './traces.ts';

/** Further violations of the same kind add no information. */
const MOST = 10;

export function checkPlay(play: Play): readonly string[] {
  const found: string[] = [];
  const one = caseOf(play, (what) => void (found.length < MOST && found.push(what)));
  for (const check of [
    checkLeftovers,
    checkResults,
    checkTimes,
    checkAttempts,
    checkGates,
    checkSharedWaits,
    checkRecoveryWaits,
    checkCircuits,
    checkTraces,
  ])
    check(one);
  return found;
}
