/** Owns the attempts of Holdfast's calls in a world: a request each, taken down when the engine says so. */
import type { Abort, AttemptRequest, Outcome, Perform } from '@holdfast/core/virtual';
import { failedOutcome } from '@holdfast/core/virtual';
import type { LabCall, LabRun, LabTurn } from '../run/contender.ts';

export interface Attempts {
  /** A turn is about to begin. */
  opened(turn: LabTurn): void;
  readonly perform: Perform;
}

const succeeded: Outcome = { ok: true, output: 'done' };

export function createAttempts(run: LabRun): Attempts {
  const { agenda, startedAtEpochMs } = run;
  const calls = createCalls();
  const failed = (error: unknown, aborted = false): Outcome =>
    failedOutcome(error, { nowEpochMs: startedAtEpochMs + agenda.now(), aborted });
  return {
    opened: calls.add,
    perform: (request, settle): Abort => {
      const call = calls.of(request);
      const takeDown = run.send(call, request.toolName, (answer) => settle(answer.ok ? succeeded : failed(answer.error)));
      return () => {
        takeDown();
        // As a client does that takes its connection down: soon, with an error that says so.
        agenda.at(agenda.now(), () => settle(failed(aborted, true)));
      };
    },
  };
}

const aborted: Error = Object.assign(new Error('The operation was aborted'), { name: 'AbortError' });

interface Calls {
  add(turn: LabTurn): void;
  of(request: AttemptRequest): LabCall;
}

/** Which call of the world a request is for. Turns long over are forgotten. */
function createCalls(): Calls {
  const turns = new Map<string, LabTurn>();
  let latest: LabTurn | undefined;
  const forget = (now: number): void => {
    for (const [id, { deadlineAt }] of turns) {
      // Work may outlive its turn, but begins within it.
      if (deadlineAt >= now) return;
      turns.delete(id);
    }
  };
  return {
    add(turn) {
      forget(turn.startedAt);
      turns.set(turn.id, turn);
      latest = turn;
    },
    of({ turnId, callKey }) {
      const turn = latest?.id === turnId ? latest : turns.get(turnId);
      const call = turn?.calls.length === 1 ? turn.calls[0] : turn?.calls.find(({ plan }) => plan.id === callKey);
      if (!call) throw new Error(`an attempt of call '${callKey}' began after its turn '${turnId}'`);
      return call;
    },
  };
}
