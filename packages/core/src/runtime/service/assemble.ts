/** Owns assembling a service from its options, and the steps of its life cycle: restoring, saving, closing. */
import type { CircuitSnapshot } from '../../engine/breaker/types.ts';
import { save } from '../../engine/admission/gate-control.ts';
import { describeError } from '../../engine/classify/describe-error.ts';
import { createEpisodicMemory, memoryEvents } from '../../projections/episodic-memory.ts';
import type { MetricsFold } from '../../projections/tool-metrics.ts';
import { createMetricsFold, metricsEvents } from '../../projections/tool-metrics.ts';
import { ErrorHandler } from '../../engine/recover/error-handler.ts';
import { createRedactor } from '../../engine/plain/redact.ts';
import { nameAt } from '../../engine/backoff/random.ts';
import { profiles } from '../../engine/settings/profiles.ts';
import { resolveSettings } from '../../engine/settings/resolve.ts';
import type { ToolPolicy } from '../../engine/settings/settings.ts';
import { createSystem } from '../system/create-system.ts';
import { wakeWaiters } from '../drivers/gate-alarm.ts';
import { transitionEvent } from '../drivers/transition-event.ts';
import { compose } from '../../engine/tool/runner.ts';
import type { AnyTool } from '../../engine/tool/tool.ts';
import type { TraceEventType } from '../../engine/trace/events.ts';
import { StreamedTrace } from '../../engine/trace/streamed-trace.ts';
import type { Trace } from '../../engine/trace/turn-trace.ts';
import { createTimestamps } from '../../engine/trace/turn-trace.ts';
import { endWithin } from './closing.ts';
import type { HubFault } from './event-hub.ts';
import { EventHub } from './event-hub.ts';
import { callSafely } from './call-safely.ts';
import type { ToolExecutionServiceOptions } from './options.ts';
import { checkOptions } from './options.ts';
import { SingleCalls } from './single-call.ts';
import type { FleetChange } from '../../engine/ports/circuit-sharing.ts';
import { joinSharing } from '../../engine/ports/circuit-sharing.ts';
import type { System } from '../../engine/ports/system.ts';
import type { ServiceContext } from './service-context.ts';
import type { RuntimeChange } from './tool-set.ts';
import { ToolSet } from './tool-set.ts';

const circuitEvents: readonly TraceEventType[] = ['CircuitBreakerOpened', 'CircuitBreakerHalfOpened', 'CircuitBreakerClosed'];

export interface ServiceParts {
  readonly context: ServiceContext;
  readonly singleCalls: SingleCalls;
  readonly toolSet: ToolSet;
  readonly replaceTools: (tools: readonly AnyTool[], policy?: ToolPolicy) => void;
  readonly metrics: MetricsFold;
  /** Events outside of any turn: manual control, changes by the fleet. */
  readonly controlTrace: Trace;
  readonly saveCircuits: () => void;
  readonly restore: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export function assembleService(options: ToolExecutionServiceOptions): ServiceParts {
  checkOptions(options);
  const {
    tools,
    profile = 'spec',
    policy,
    turn = {},
    recoveryRules = [],
    advisor,
    advisorTimeoutMs = 50,
    closeTimeoutMs = 5_000,
    middleware = [],
    store,
    capture = 'none',
    asyncContext,
    redact = {},
    jsonSchema,
    sharedCircuits,
    onFault,
  } = options;
  const system = options.system ?? createSystem();
  const seed = String(options.seed ?? system.randomSeed());
  const numbers = profiles[profile];
  const wrap = compose(...middleware);
  const toolSet = new ToolSet(tools, { base: numbers.tool, policy, wrap, compileJsonSchema: jsonSchema }, system);

  const memory = numbers.useMemory ? createEpisodicMemory() : undefined;
  const metrics = createMetricsFold({ isKnown: (toolName) => toolSet.lasting(toolName) !== undefined });
  const hub = new EventHub({ system, store, onFault: (fault) => reportFault(fault) });
  hub.subscribe((event) => metrics.observe(event), { component: 'listener', name: 'metrics', types: metricsEvents });
  if (memory) hub.subscribe((event) => memory.observe(event), { component: 'memory', name: 'episodic memory', types: memoryEvents });

  const timestamps = createTimestamps();
  const turnPrefix = nameAt(seed, 'turn').slice(0, 8);
  const instance = system.randomSeed();
  let turns = 0;
  let executions = 0;
  const sharing =
    sharedCircuits &&
    joinSharing(sharedCircuits, {
      system,
      tools: () => toolSet.runtimes,
      changed({ name }, change, word) {
        const runtime = toolSet.lasting(name);
        if (runtime) publishChanges([{ runtime, change }], word);
      },
      failed: (name, error) => reportFault({ component: 'circuits', name, error }),
    });
  const context: ServiceContext = {
    system,
    seed,
    profile,
    base: resolveSettings(numbers.tool, policy),
    turnSettings: { ...numbers.turn, ...turn },
    handler: new ErrorHandler({ recoveryRules, advisorTimeoutMs, ...(memory ? { memory } : {}), ...(advisor ? { advisor } : {}) }),
    redact: createRedactor(redact),
    capture,
    asyncContext,
    hub,
    epochAt: createEpochs(system),
    datedFromNow() {
      const startedAt = system.epochMs();
      return (elapsedMs) => timestamps(startedAt + elapsedMs);
    },
    streamedTraces: { timestamp: timestamps, sink: hub.publish, hasSubscriber: hub.hasSubscriber },
    runtimeOf: toolSet.offered,
    lastingRuntimeOf: toolSet.lasting,
    settingsOf: (toolName) => toolSet.lasting(toolName)?.settings,
    toolNames: () => toolSet.names,
    sharing,
    nextExecution: () => `${instance}-${(executions += 1)}`,
    executionOf: (turnId) => `${instance}-${turnId}`,
    nextTurnId: () => `${turnPrefix}-${(turns += 1)}`,
  };
  const controlTrace = new StreamedTrace(context.streamedTraces, `${turnPrefix}-control`, system.now(), system.epochMs());
  // A fault listener must not cause a fault.
  const reportFault = (fault: HubFault): void => {
    const { component } = fault;
    // The trace cannot record that its own store fails, and runners fail after the store is closed.
    if (component !== 'store' && component !== 'runner')
      controlTrace.append({ event_type: 'ComponentFailed', ...fault, component, error: context.redact(fault.error) }, system.now());
    callSafely(() => onFault?.(fault), ignore);
  };
  const storeFailed =
    (name: string) =>
    (error: unknown): void =>
      reportFault({ component: 'store', name, error: describeError(error).message });

  const saveCircuits = (): void => {
    if (!store) return;
    const clock = { now: system.now(), nowEpochMs: system.epochMs() };
    const circuits = new Map<string, CircuitSnapshot>(toolSet.runtimes.map(({ name, gate }) => [name, save(gate, clock)]));
    callSafely(() => store.saveCircuits(circuits), storeFailed('saveCircuits'));
  };
  const publishChanges = (changes: readonly RuntimeChange[], word?: FleetChange): void => {
    const now = system.now();
    for (const { runtime, change } of changes) {
      for (const transition of change.transitions) {
        controlTrace.append({ ...transitionEvent(runtime.name, transition), ...word }, now);
        if (transition.to === 'open') for (const wake of runtime.delayedCalls.values()) system.defer(wake);
      }
      wakeWaiters(runtime, change, system, now);
    }
  };
  if (store) hub.subscribe(() => system.defer(saveCircuits), { component: 'store', name: 'circuits', types: circuitEvents });

  return {
    context,
    singleCalls: new SingleCalls(context),
    toolSet,
    replaceTools: (next, nextPolicy) => publishChanges(toolSet.replace(next, nextPolicy)),
    metrics,
    controlTrace,
    saveCircuits,
    async restore() {
      if (!store) return;
      try {
        publishChanges(toolSet.remember(await store.loadCircuits()));
        if (!memory) return;
        for await (const events of store.readEvents({ eventTypes: memoryEvents })) for (const event of events) memory.observe(event);
      } catch (error) {
        storeFailed('restore')(error);
      }
    },
    async close() {
      hub.flush();
      saveCircuits();
      const runners = toolSet.tools.map(({ name, run }) => ({ component: 'runner' as const, name, end: () => run.close?.() }));
      const stores = store ? [{ component: 'store' as const, name: 'flush', end: () => store.flush() }] : [];
      const shared = sharing ? [{ component: 'circuits' as const, name: 'close', end: sharing.close }] : [];
      await endWithin(system, closeTimeoutMs, [...runners, ...stores, ...shared], reportFault);
    },
  };
}

/** Reading the wall clock costs as much as the rest of an event: it is read once a second, and computed from the monotonic clock in between. */
function createEpochs(system: System): (moment: number) => number {
  let offset = 0;
  let nextReadingAt = Number.NEGATIVE_INFINITY;
  return (moment) => {
    if (moment >= nextReadingAt) {
      offset = system.epochMs() - system.now();
      nextReadingAt = moment + 1_000;
    }
    return moment + offset;
  };
}

function ignore(): void {
  // No listener is left.
}
