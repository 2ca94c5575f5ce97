/** Owns the parts of the profile `adaptive`, and how each is switched off. */
import type { adaptiveNumbers } from '@holdfast/core/internal';
import type { HoldfastOptions } from '@holdfast/simulate';

export interface Change extends Pick<HoldfastOptions, 'policy' | 'useMemory'> {
  /** Numbers of the gate; they are no settings. */
  readonly numbers?: Partial<typeof adaptiveNumbers>;
}

export interface Part {
  readonly name: string;
  /** What it does, in one sentence. */
  readonly does: string;
  readonly off: Change;
}

export const parts: readonly Part[] = [
  {
    name: 'waiting for recovery',
    does: "Calls wait for a tool that is down, and for tokens, as long as their turn has time. Without it, none of the gate's parts below applies.",
    off: { policy: { waitForRecovery: false } },
  },
  {
    name: 'being down',
    does: 'After five different calls have failed in a row, and none has succeeded for as long as five usually take, calls wait, and one at a time probes the tool.',
    off: { policy: { breaker: false } },
  },
  {
    name: 'the quiet second',
    does: 'A tool that has succeeded within a second is not down.',
    off: { numbers: { quietMs: 0 } },
  },
  {
    name: 'slowness',
    does: 'While recent answers take more than twice the usual time, nothing is added; slow successes earn no tokens.',
    off: { numbers: { slow: Infinity } },
  },
  {
    name: 'slowness by the time limit',
    does: 'The same while they take more than a quarter of a time limit that has ended an attempt in the last two minutes.',
    off: { numbers: { slowShare: Infinity } },
  },
  {
    name: 'the cost of work',
    does: 'A retry after a time-out costs four tokens, and without tokens starts later in a process with few calls.',
    off: { numbers: { workCost: 1, unsureCalls: 0 } },
  },
  {
    name: 'costs by success',
    does: 'Retries and calls of the backlog cost the more, the fewer of those that were paid for have succeeded lately.',
    off: { numbers: { costPower: 0 } },
  },
  {
    name: 'no hopeless waits',
    does: 'A retry without tokens fails at once while the tool answers others and retries succeed less than half as often as all attempts.',
    off: { numbers: { worthShare: 0 } },
  },
  {
    name: 'rejections',
    does: 'While two of the latest ten answers rejected a call as one too many, the latest within two seconds, no retry starts, unless nothing else has started since the attempt before.',
    off: { numbers: { rejections: Infinity } },
  },
  {
    name: 'never silent',
    does: 'While calls wait and nothing has started for several mean gaps between calls, one starts without tokens.',
    off: { numbers: { silentGaps: Infinity, silentGapsSlow: Infinity } },
  },
  {
    name: 'fresh calls first',
    does: 'Among waiting calls, those younger than two seconds go first; the others in the order in which they began.',
    off: { numbers: { freshMs: 0 } },
  },
  {
    name: 'last chance',
    does: 'A call that was never sent is sent in the middle of its time, unless the tool is overloaded.',
    off: { numbers: { lastChanceShare: 1, lastChanceMs: Infinity } },
  },
  {
    name: 'room after time-outs',
    does: 'While time-outs keep the tool down, probes are half of the usual load.',
    off: { numbers: { probeGaps: 1 } },
  },
  {
    name: 'hanging probes',
    does: 'A probe that takes twice the usual time no longer holds the next one back.',
    off: { numbers: { hanging: Infinity } },
  },
  {
    name: 'limit by time-outs',
    does: 'Three time-outs among ten answers, beside slow successes, halve the number of calls that run at once.',
    off: { numbers: { timeouts: Infinity } },
  },
  {
    name: 'full jitter',
    does: 'Delays are drawn between 0 and the full delay.',
    off: { policy: { retry: { jitter: 'proportional' } } },
  },
  {
    name: 'eight attempts',
    does: 'Three attempts more than in `spec`.',
    off: { policy: { retry: { maxAttempts: 5 } } },
  },
  {
    name: 'hedging',
    does: 'A slow read has a second attempt beside it.',
    off: { policy: { hedge: false } },
  },
  {
    name: 'episodic memory',
    does: 'The results of earlier failures influence the next decision.',
    off: { useMemory: false },
  },
];
