/** Owns running a turn in this process: from a checked graph to a report, whatever fails. */
import type { CallStart } from '../drivers/effect-loop.ts';
import { EffectLoop } from '../drivers/effect-loop.ts';
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
import type { ServiceContext } from './service-context.ts';
import { turnFacts, turnStarted } from './turn-started.ts';

export interface TurnExecution {
  readonly turnId: string;
  readonly graph: PlanGraph;
  readonly settings: TurnSettings;
  readonly signal: CancelSignal | undefined;
  /** Monotonic time at which it was submitted. */
  readonly startedAt: number;
  readonly trace: Trace;
  /** By call key: the caller's id of the call, if it differs. */
  readonly callIds?: ReadonlyMap<string, string>;
}

export function runTurn(
  context: ServiceContext,
  { turnId, graph, settings, signal, startedAt, trace, callIds }: TurnExecution,
): Promise<TurnReport> {
  return new Promise((resolve) => {
    const state = createTurnState(turnId, graph, settings, startedAt);
    const within = context.asyncContext?.();
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
      seed: context.seed,
      base: context.base,
      settingsOf: context.settingsOf,
      deadlineAt: settings.timeoutMs === null ? undefined : startedAt + settings.timeoutMs,
      allowance: { left: settings.maxRetries },
      execution: context.nextExecution(),
      callIds,
    };
    const host = new InProcessHost(context, (error, run) => {
      if (run && !run.settled) {
        run.settled = true;
        const { toolName, callId } = run.state.spec;
        run.onSettled(failedResult({ toolName, callId }, crashFault(error, context.redact)));
      } else if (!run && !settled) finish(crashReport(context, turnId, graph, error));
    });
    const open = (start: CallStart, onSettled: CallRun['onSettled']): CallRun => {
      const run = openCall(context, calls, start, onSettled, host.moment);
      run.runInContext = within;
      return run;
    };
    const loop = new EffectLoop(host, { state, trace, openCall: open, onSettled: finish });
    if (trace.skip?.('TurnStarted') !== true) host.append(trace, turnStarted(context, graph, turnFacts(context, graph, settings)));
    const cancelled = cancelledBefore(context, signal);
    if (cancelled) return loop.feedTurn({ type: 'cancelled', fault: cancelled });
    loop.feedTurn({ type: 'submitted' });
    if (!settled) stopListening = onCancel(context, signal, (fault) => loop.feedTurn({ type: 'cancelled', fault }));
  });
}

/** The report of a turn whose machine threw: a bug. */
export function crashReport({ redact }: ServiceContext, turnId: string, graph: PlanGraph, error: unknown): TurnReport {
  const toolNames = new Map(graph.nodes.map(({ callId, call }) => [callId, call.toolName]));
  const results = graph.submitted.map((callId) =>
    failedResult({ callId, toolName: toolNames.get(callId) ?? '' }, crashFault(error, redact)),
  );
  return { turnId, outcome: 'failed', results, summary: 'The turn failed', escalated: true, executionTime: 0, criticalPath: [] };
}
