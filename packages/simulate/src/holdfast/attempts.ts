/** Owns the attempts of Holdfast's calls in a world: one request each, aborted when the engine aborts the attempt. */
import type { Abort, AttemptRequest, Outcome, Perform } from '@holdfast/core/internal';
import { failedOutcome } from '@holdfast/core/internal';
import type { LabCall, LabRun, LabTurn, ServiceError } from '../run/contender.ts';

export interface Attempts {
  /** A turn is about to begin. */
  opened(turn: LabTurn): void;
  /** The turn has settled: its remaining work was started before. */
  closed(turn: LabTurn): void;
  readonly perform: Perform;
}

const succeeded: Outcome = { ok: true, output: 'done' };

export function createAttempts(run: LabRun): Attempts {
  const { agenda, startedAtEpochMs } = run;
  const calls = createCalls();
  const failed = createFailures(startedAtEpochMs);
  const takenDown = failedOutcome(aborted, { nowEpochMs: startedAtEpochMs, aborted: true });
  return {
    opened: calls.add,
    closed: calls.remove,
    perform: (request, settle): Abort => {
      const call = calls.of(request);
      const takeDown = run.send(call, request.toolName, (answer) => settle(answer.ok ? succeeded : failed(answer.error)));
      return () => {
        takeDown();
        // As a client that closes its connection: asynchronously, with an abort error.
        agenda.at(agenda.now(), () => settle(takenDown));
      };
    },
  };
}

/** The same error is always classified the same: services state Retry-After in seconds, not as a date. */
function createFailures(nowEpochMs: number): (error: ServiceError) => Outcome {
  const known = new WeakMap<ServiceError, Outcome>();
  return (error) => {
    const before = known.get(error);
    if (before) return before;
    const outcome = failedOutcome(error, { nowEpochMs });
    known.set(error, outcome);
    return outcome;
  };
}

const aborted: Error = Object.assign(new Error('The operation was aborted'), { name: 'AbortError' });

interface Calls {
  readonly add: (turn: LabTurn) => void;
  readonly remove: (turn: LabTurn) => void;
  readonly of: (request: AttemptRequest) => LabCall;
}

/** Finds the call of the world that a request is for. */
function createCalls(): Calls {
  const turns = new Map<string, LabTurn>();
  return {
    add: (turn) => void turns.set(turn.id, turn),
    remove: (turn) => void turns.delete(turn.id),
    of({ turnId, callKey }) {
      const turn = turns.get(turnId);
      const call = turn?.calls.length === 1 ? turn.calls[0] : turn?.calls.find(({ plan }) => plan.id === callKey);
      if (!call) throw new Error(`an attempt of call '${callKey}' began after the end of its turn '${turnId}'`);
      return call;
    },
  };
}
