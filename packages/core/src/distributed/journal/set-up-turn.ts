/** Owns creating the trace and the effect loop of a journaled turn, which was opened by this process or by the one that it was taken over from. */
import { EffectLoop } from '../../runtime/drivers/effect-loop.ts';
import type { CallRun, Host } from '../../runtime/drivers/host.ts';
import { openCall } from '../../runtime/service/open-call.ts';
import type { ServiceContext } from '../../runtime/service/service-context.ts';
import type { TurnFacts } from '../../runtime/service/turn-started.ts';
import { turnStarted } from '../../runtime/service/turn-started.ts';
import type { TraceEvent } from '../../engine/trace/events.ts';
import { createTimestamps, TurnTrace } from '../../engine/trace/turn-trace.ts';
import type { PlanGraph } from '../../engine/turn/plan.ts';
import type { TurnReport } from '../../engine/turn/report.ts';
import { createTurnState } from '../../engine/turn/state.ts';
import type { OpenedTurn } from './turn-opening.ts';

export interface SetUpTurn {
  readonly startedAtEpochMs: number;
  readonly facts: TurnFacts;
  readonly trace: TurnTrace;
  readonly loop: EffectLoop;
  /** Appends its first event. */
  readonly begin: () => void;
}

interface TurnCallbacks {
  readonly host: Host;
  readonly sink: (event: TraceEvent) => void;
  readonly onCall: (callKey: string, run: CallRun) => void;
  readonly onSettled: (report: TurnReport) => void;
}

export function setUpTurn(
  context: ServiceContext,
  { turnId, graph }: { readonly turnId: string; readonly graph: PlanGraph },
  { opening: { startedAtEpochMs, executionId }, facts }: OpenedTurn,
  { host, sink, onCall, onSettled }: TurnCallbacks,
): SetUpTurn {
  const { seed, base, settings, tools } = facts;
  const timestamps = createTimestamps();
  const trace = new TurnTrace({ turnId, startedAt: 0, timestamp: (elapsedMs) => timestamps(startedAtEpochMs + elapsedMs), sink });
  const calls = {
    turnId,
    trace,
    seed,
    base,
    settingsOf: (name: string) => tools.get(name),
    deadlineAt: settings.timeoutMs ?? undefined,
    allowance: { left: settings.maxRetries },
    execution: executionId,
  };
  const loop = new EffectLoop(host, {
    state: createTurnState(turnId, graph, settings, 0),
    trace,
    openCall: (start, settled) => {
      const run = openCall(context, calls, start, settled, host.moment);
      onCall(start.node.callId, run);
      return run;
    },
    onSettled,
  });
  const begin = (): void => void trace.append({ ...turnStarted(context, graph, facts), execution_id: executionId }, 0);
  return { startedAtEpochMs, facts, trace, loop, begin };
}
