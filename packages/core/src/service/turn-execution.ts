/** Owns running a turn in this process: from a checked graph to a report, whatever fails on the way. */
import type { CircuitSnapshot } from '../breaker/index.ts';
import { save } from '../admission/index.ts';
import { createCallState } from '../call/state.ts';
import type { CallStart } from '../drivers/conductor.ts';
import { Conductor } from '../drivers/conductor.ts';
import { CallRun } from '../drivers/host.ts';
import { InProcessHost } from '../drivers/in-process/host.ts';
import type { Mutable } from '../mutable.ts';
import type { CancelSignal } from '../ports/signal.ts';
import { redactedCopy } from '../redact/redact.ts';
import type { ToolPolicy, ToolSettings, TurnSettings } from '../settings/settings.ts';
import type { PlannedCallRecord, TurnStarted } from '../trace/events.ts';
import type { Trace } from '../trace/turn-trace.ts';
import type { PlanGraph, PlanNode } from '../turn/plan.ts';
import type { TurnReport } from '../turn/report.ts';
import { createTurnState } from '../turn/state.ts';
import { settingsLookup } from '../drivers/call-settings.ts';
import { cancelledBefore, onCancel } from './cancellation.ts';
import { capturedArguments, crashFault, failedResult } from './lone-call.ts';
import type { ServiceKit } from './service-kit.ts';

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
    const execution = kit.nextExecution();
    const within = kit.asyncContext?.();
    const allowance = { left: settings.maxRetries };
    const deadlineAt = settings.timeoutMs === null ? undefined : startedAt + settings.timeoutMs;
    let stopListening: (() => void) | undefined;
    let settled = false;
    const finish = (report: TurnReport): void => {
      settled = true;
      stopListening?.();
      resolve(report);
    };
    const openCall = ({ node, arguments: args, problem }: CallStart, onSettled: CallRun['onSettled']): CallRun => {
      const callState = createCallState(
        {
          turnId,
          seed: kit.seed,
          callKey: node.callId,
          callId: callIds?.get(node.callId) ?? node.callId,
          toolName: node.call.toolName,
          optional: node.call.optional ?? false,
          critical: node.call.critical ?? false,
          settingsOf: settingsLookup(kit.settingsOf, node.call),
          deadlineAt,
          allowance,
          idempotencyKey: node.call.idempotencyKey ?? `${execution}-${node.callId}`,
          capturedArguments: capturedArguments(kit, args),
        },
        kit.base,
        host.moment,
      );
      const run = new CallRun(callState, trace, args, problem, onSettled);
      run.within = within;
      return run;
    };
    const host = new InProcessHost(kit, (error, run) => {
      if (run && !run.settled) {
        run.settled = true;
        const { toolName, callId } = run.state.spec;
        run.onSettled(failedResult({ toolName, callId }, crashFault(error, kit.redact)));
      } else if (!run && !settled) finish(crashReport(kit, turnId, graph, error));
    });
    const conductor = new Conductor(host, { state, trace, openCall, onSettled: finish });
    host.append(trace, turnStarted(kit, graph, settings));
    const cancelled = cancelledBefore(kit, signal);
    if (cancelled) return conductor.feedTurn({ type: 'cancelled', fault: cancelled });
    conductor.feedTurn({ type: 'submitted' });
    if (!settled) stopListening = onCancel(kit, signal, (fault) => conductor.feedTurn({ type: 'cancelled', fault }));
  });
}

function crashReport({ redact }: ServiceKit, turnId: string, graph: PlanGraph, error: unknown): TurnReport {
  const toolNames = new Map(graph.nodes.map(({ callId, call }) => [callId, call.toolName]));
  const results = graph.submitted.map((callId) =>
    failedResult({ callId, toolName: toolNames.get(callId) ?? '' }, crashFault(error, redact)),
  );
  return { turnId, outcome: 'failed', results, summary: 'The turn failed', escalated: true, executionTime: 0, criticalPath: [] };
}

function turnStarted(kit: ServiceKit, graph: PlanGraph, { timeoutMs, concurrency, onDeadline, maxRetries }: TurnSettings): TurnStarted {
  const tools = toolsOf(kit, graph);
  return {
    event_type: 'TurnStarted',
    seed: kit.seed,
    profile: kit.profile,
    timeout_ms: timeoutMs,
    concurrency,
    on_deadline: onDeadline,
    max_retries: maxRetries,
    calls: graph.nodes.map((node) => planned(kit, node)),
    tools: Object.fromEntries(tools.map((name) => [name, recordedSettings(kit, name)])),
    base: kit.base,
    // Plain data, whatever the user's rule objects are.
    policies: redactedCopy(kit.handler.policies, { redact: kit.redact }) as readonly unknown[],
    circuits: Object.fromEntries(tools.flatMap((name) => touchedCircuit(kit, name))),
  };
}

function planned(kit: ServiceKit, { callId, dependsOn, call }: PlanNode): PlannedCallRecord {
  const record: Mutable<PlannedCallRecord> = { call_id: callId, tool_id: call.toolName, depends_on: dependsOn };
  if (call.optional) record.optional = true;
  if (call.critical) record.critical = true;
  if (call.defaults) record.defaults = Object.keys(call.defaults);
  if (call.policy) record.policy = withRedactedFallback(kit, call.policy);
  return record;
}

/** A fallback value may hold anything; everything else of the settings is plain. */
function recordedSettings(kit: ServiceKit, name: string): ToolSettings | undefined {
  const settings = kit.runtimeOf(name)?.settings;
  return settings && withRedactedFallback(kit, settings);
}

function withRedactedFallback<T extends Pick<ToolPolicy, 'fallback'>>({ redact }: ServiceKit, settings: T): T {
  return settings.fallback ? { ...settings, fallback: { value: redactedCopy(settings.fallback.value, { redact }) } } : { ...settings };
}

/** The tools of the plan and their alternatives, by name. */
function toolsOf(kit: ServiceKit, graph: PlanGraph): readonly string[] {
  const all = new Set<string>();
  const looked = new Set<string>();
  for (const { call } of graph.nodes) {
    if (!call.policy && looked.has(call.toolName)) continue;
    if (!call.policy) looked.add(call.toolName);
    all.add(call.toolName);
    for (const name of call.policy?.alternatives ?? kit.runtimeOf(call.toolName)?.settings.alternatives ?? []) all.add(name);
  }
  return [...all].filter((name) => kit.runtimeOf(name)).toSorted();
}

/** Breakers that are as new need no record. */
function touchedCircuit(kit: ServiceKit, name: string): readonly (readonly [string, CircuitSnapshot])[] {
  const gate = kit.runtimeOf(name)?.gate;
  if (!gate) return [];
  const { breaker } = gate;
  const pristine = breaker.state === 'closed' && breaker.failureCount === 0 && breaker.mode === 'auto' && breaker.window === undefined;
  return pristine ? [] : [[name, save(gate, { now: kit.system.now(), nowEpochMs: kit.system.epochMs() })]];
}
