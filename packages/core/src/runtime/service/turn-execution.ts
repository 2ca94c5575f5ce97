/** Owns running a turn in this process: from a checked graph to a report, whatever fails on the way. */
import type { CallStart } from '../drivers/effect-loop.ts';
import { Conductor } from '../drivers/effect-loop.ts';
import type { CallRun } from '../drivers/host.ts';
import { InProcessHost } from '../drivers/in-process/in-process-host.ts';
import type { CancelSignal } from '../../engine/ports/signal.ts';
import type { TurnSettings } from '../../engine/settings/settings.ts';
import type { Trace } from '../../engine/trace/turn-trace.ts';
import type { PlanGraph } from '../../engine/turn/plan.ts';
import type { TurnReport } from '../../engine/turn/report.ts';
import { createTurnState } from '../../engine/turn/state.ts';
import { cancelledBefore, onCancel } from './cancellation.ts';
import { crashFault, failedResult } from './single-call.ts';
import type { CallsOfTurn } from './open-call.ts';
import { openCall } from './open-call.ts';
import type { ServiceKit } from './service-context.ts';
import { turnFacts, turnStarted } from './turn-started.ts';

export interface TurnExecution {
  readonly turnId: string;
  readonly graph: PlanGraph;
  readonly settings: TurnSettings;
  readonly signal: CancelSignal | undefined;
  /** Monotonic time at which it was asked for. */
  readonly startedAt: number;
  readonly trace: Trace;
  /** By call key: the id under which the caller knows the call, where it is another. */
  readonly callIds?: ReadonlyMap<string, string>;
}

export function runTurn(
  kit: ServiceKit,
  { turnId, graph, settings, signal, startedAt, trace, callIds }: TurnExecution,
): Promise<TurnReport> {
  return new Promise((resolve) => {
    const state = createTurnState(turnId, graph, settings, startedAt);
    const within = kit.asyncContext?.();
    let stopListening: (() => void) | undefined;
    let settled = false;
    const finish = (report: TurnReport): void => {
      settled = true;
      stopListening?.();
      resolve(report);
    };
    const calls: CallsOfTurn = {
      turnId,
      trace,
      seed: kit.seed,
      base: kit.base,
      settingsOf: kit.settingsOf,
      deadlineAt: settings.timeoutMs === null ? undefined : startedAt + settings.timeoutMs,
      allowance: { left: settings.maxRetries },
      execution: kit.nextExecution(),
      callIds,
    };
    const host = new InProcessHost(kit, (error, run) => {
      if (run && !run.settled) {
        run.settled = true;
        const { toolName, callId } = run.state.spec;
        run.onSettled(failedResult({ toolName, callId }, crashFault(error, kit.redact)));
      } else if (!run && !settled) finish(crashReport(kit, turnId, graph, error));
    });
    const open = (start: CallStart, onSettled: CallRun['onSettled']): CallRun => {
      const run = openCall(kit, calls, start, onSettled, host.moment);
      run.within = within;
      return run;
    };
    const conductor = new Conductor(host, { state, trace, openCall: open, onSettled: finish });
    host.append(trace, turnStarted(kit, graph, turnFacts(kit, graph, settings)));
    const cancelled = cancelledBefore(kit, signal);
    if (cancelled) return conductor.feedTurn({ type: 'cancelled', fault: cancelled });
    conductor.feedTurn({ type: 'submitted' });
    if (!settled) stopListening = onCancel(kit, signal, (fault) => conductor.feedTurn({ type: 'cancelled', fault }));
  });
}

/** A bug of ours in the turn's own machine, told as a report. */
export function crashReport({ redact }: ServiceKit, turnId: string, graph: PlanGraph, error: unknown): TurnReport {
  const toolNames = new Map(graph.nodes.map(({ callId, call }) => [callId, call.toolName]));
  const results = graph.submitted.map((callId) =>
    failedResult({ callId, toolName: toolNames.get(callId) ?? '' }, crashFault(error, redact)),
  );
  return { turnId, outcome: 'failed', results, summary: 'The turn failed', escalated: true, executionTime: 0, criticalPath: [] };
}
