/** Owns putting a service together from its options. */
import { createEpisodicMemory, type EpisodicMemory, memoryEvents } from '../../projections/episodic-memory.ts';
import type { MetricsFold } from '../../projections/tool-metrics.ts';
import { createMetricsFold, metricsEvents } from '../../projections/tool-metrics.ts';
import { ErrorHandler } from '../../engine/recover/error-handler.ts';
import { createRedactor } from '../../engine/plain/redact.ts';
import { nameAt } from '../../engine/backoff/random.ts';
import { profiles } from '../../engine/settings/profiles.ts';
import { resolveSettings } from '../../engine/settings/resolve.ts';
import type { ToolPolicy } from '../../engine/settings/settings.ts';
import { createSystem } from '../system/create-system.ts';
import { compose } from '../../engine/tool/runner.ts';
import type { AnyTool } from '../../engine/tool/tool.ts';
import type { TraceEventType } from '../../engine/trace/events.ts';
import { StreamedTrace } from '../../engine/trace/streamed-trace.ts';
import type { Trace } from '../../engine/trace/turn-trace.ts';
import { createTimestamps } from '../../engine/trace/turn-trace.ts';
import { EventHub } from './event-hub.ts';
import { createLifetime, type Lifetime } from './lifetime.ts';
import { createMemoryKeeper } from './memory-keeper.ts';
import { createControl, type Control } from './control.ts';
import { controlTurnId } from '../../engine/trace/control-turn-id.ts';
import type { ToolExecutionServiceOptions } from './options.ts';
import { checkServiceOptions } from './options.ts';
import { SingleCalls } from './single-call.ts';
import { joinSharing } from '../../engine/ports/circuit-sharing.ts';
import type { System } from '../../engine/ports/system.ts';
import type { ServiceContext } from './service-context.ts';
import { ToolSet } from './tool-set.ts';

const circuitEvents: readonly TraceEventType[] = ['CircuitBreakerOpened', 'CircuitBreakerHalfOpened', 'CircuitBreakerClosed'];

export interface ServiceParts extends Lifetime {
  readonly context: ServiceContext;
  readonly singleCalls: SingleCalls;
  readonly toolSet: ToolSet;
  readonly replaceTools: (tools: readonly AnyTool[], policy?: ToolPolicy) => void;
  readonly publishChanges: Control['publishChanges'];
  readonly metrics: MetricsFold;
  /** Events outside of any turn: manual control, changes by the fleet. */
  readonly controlTrace: Trace;
}

export function assembleService(options: ToolExecutionServiceOptions): ServiceParts {
  checkServiceOptions(options);
  const { tools, profile = 'spec', policy, middleware = [], store, jsonSchema, sharedCircuits, closeTimeoutMs = 5_000 } = options;
  const system = options.system ?? createSystem();
  const seed = String(options.seed ?? system.randomSeed());
  const numbers = profiles[profile];
  const toolSet = new ToolSet(tools, { base: numbers.tool, policy, wrap: compose(...middleware), compileJsonSchema: jsonSchema }, system);

  const { useMemory = options.errorHandler === undefined && numbers.useMemory } = options;
  const memory = useMemory ? createEpisodicMemory() : undefined;
  const metrics = createMetricsFold({ isKnown: (toolName) => toolSet.lasting(toolName) !== undefined });
  const hub = new EventHub({ system, store, onFault: (fault) => control.reportFault(fault) });
  hub.subscribe((event) => metrics.observe(event), { component: 'listener', name: 'metrics', types: metricsEvents });

  const streamedTraces = { timestamp: createTimestamps(), sink: hub.publish, hasSubscriber: hub.hasSubscriber };
  const turnPrefix = nameAt(seed, 'turn').slice(0, 8);
  const instance = system.randomSeed();
  const redact = createRedactor(options.redact ?? {});
  const controlTrace = new StreamedTrace(streamedTraces, controlTurnId(turnPrefix), system.now(), system.epochMs());
  const control = createControl({ trace: controlTrace, system, redact, onFault: options.onFault });
  const sharing =
    sharedCircuits &&
    joinSharing(sharedCircuits, {
      system,
      tools: () => toolSet.runtimes,
      changed({ name }, change, word) {
        const runtime = toolSet.lasting(name);
        if (runtime) control.publishChanges([{ runtime, change }], word);
      },
      failed: (name, error) => control.reportFault({ component: 'circuits', name, error }),
    });
  const context = contextOf(options, { system, seed, turnPrefix, instance, toolSet, memory, hub, streamedTraces, redact, sharing });
  const keeper = memory && createMemoryKeeper({ memory, store, system, report: control.reportFault });
  if (keeper) hub.subscribe(keeper.observe, { component: 'memory', name: 'episodic memory', types: memoryEvents });
  const lifetime = createLifetime({ system, store, toolSet, keeper, hub, control, sharing, closeTimeoutMs });
  if (store) hub.subscribe(() => system.defer(lifetime.saveCircuits), { component: 'store', name: 'circuits', types: circuitEvents });

  return {
    context,
    singleCalls: new SingleCalls(context),
    toolSet,
    replaceTools: (next, nextPolicy) => control.publishChanges(toolSet.replace(next, nextPolicy)),
    publishChanges: control.publishChanges,
    metrics,
    controlTrace,
    ...lifetime,
  };
}

interface SharedParts extends Pick<ServiceContext, 'system' | 'seed' | 'hub' | 'streamedTraces' | 'redact' | 'sharing'> {
  /** Begins the id of every turn, and is the same again for the same seed. */
  readonly turnPrefix: string;
  /** Unique over all processes. */
  readonly instance: string;
  readonly toolSet: ToolSet;
  readonly memory: EpisodicMemory | undefined;
}

function contextOf(options: ToolExecutionServiceOptions, parts: SharedParts): ServiceContext {
  const {
    profile = 'spec',
    policy,
    turn = {},
    recoveryRules = [],
    advisor,
    advisorTimeoutMs = 50,
    errorHandler,
    capture = 'none',
    asyncContext,
    partitionsOf,
  } = options;
  const { turnPrefix, instance, toolSet, memory, ...shared } = parts;
  const { system, streamedTraces } = shared;
  const numbers = profiles[profile];
  let turns = 0;
  let executions = 0;
  return {
    ...shared,
    profile,
    base: resolveSettings(numbers.tool, policy),
    turnSettings: { ...numbers.turn, ...turn },
    handler:
      errorHandler ?? new ErrorHandler({ recoveryRules, advisorTimeoutMs, ...(memory ? { memory } : {}), ...(advisor ? { advisor } : {}) }),
    capture,
    asyncContext,
    epochAt: createEpochs(system),
    datedFromNow() {
      const startedAt = system.epochMs();
      return (elapsedMs) => streamedTraces.timestamp(startedAt + elapsedMs);
    },
    runtimeOf: toolSet.offered,
    lastingRuntimeOf: toolSet.lasting,
    settingsOf: (toolName) => toolSet.lasting(toolName)?.settings,
    toolNames: () => toolSet.names,
    partitionsOf,
    partition: toolSet.partition,
    nextExecution: () => `${instance}-${(executions += 1)}`,
    executionOf: (turnId) => `${instance}-${turnId}`,
    nextTurnId: () => `${turnPrefix}-${(turns += 1)}`,
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
