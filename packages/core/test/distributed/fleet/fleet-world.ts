/** Several services on one keeper, in a time that stands still until it is moved. */
import {
  memorySharedCircuits,
  shareCircuits,
  type CircuitReport,
  type CircuitSharingOptions,
  type SharedCircuits,
} from '../../../src/distributed/fleet/index.ts';
import type { HubFault } from '../../../src/runtime/service/event-hub.ts';
import { ToolExecutionService } from '../../../src/runtime/service/tool-execution-service.ts';
import type { ProfileName } from '../../../src/engine/settings/profiles.ts';
import type { ToolPolicy } from '../../../src/engine/settings/settings.ts';
import { manualSystem, type ManualSystem } from '../../../src/testing/manual-system.ts';
import { defineTool } from '../../../src/engine/tool/tool.ts';
import type { TraceEvent } from '../../../src/engine/trace/events.ts';
import type { ToolResult } from '../../../src/engine/call/result.ts';

export const down = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

export function tooMany(retryAfterS: number): Error {
  return Object.assign(new Error('Too Many Requests'), { status: 429, headers: { 'retry-after': String(retryAfterS) } });
}

export interface Worker {
  readonly name: string;
  readonly service: ToolExecutionService;
  readonly events: readonly TraceEvent[];
  readonly faults: readonly HubFault[];
  /** How often the tool really ran here. */
  readonly runs: () => number;
  /** What the tool does here from now on. */
  readonly behave: (behaviour: () => unknown) => void;
  readonly call: () => Promise<ToolResult>;
  /** Calls until its circuit is open, or has failed as often as it takes. */
  readonly fail: (times?: number) => Promise<void>;
  readonly succeed: () => Promise<void>;
  readonly circuit: () => string | undefined;
  readonly changes: () => readonly string[];
}

export interface World {
  readonly system: ManualSystem;
  readonly keeper: Keeper;
  readonly worker: (name: string, options?: CircuitSharingOptions, policy?: ToolPolicy, profile?: ProfileName) => Worker;
  readonly workers: (count: number, options?: CircuitSharingOptions, policy?: ToolPolicy, profile?: ProfileName) => readonly Worker[];
}

/** A keeper that can be away, and counts what it is asked. */
interface Keeper extends SharedCircuits {
  mode: 'answers' | 'rejects' | 'hangs' | 'slow';
  /** What the reports of each worker said last. */
  readonly said: Map<string, CircuitReport>;
  readonly asked: Record<'report' | 'acquireProbe' | 'probeEnded' | 'reset', number>;
}

const slowMs = 120;

function keeperOn(system: ManualSystem): Keeper {
  const circuits = memorySharedCircuits({ epochMs: () => system.epochMs() });
  const asked = { report: 0, acquireProbe: 0, probeEnded: 0, reset: 0 };
  const ask = <Answer>(name: keyof typeof asked, answer: () => Promise<Answer>): Promise<Answer> => {
    asked[name] += 1;
    if (keeper.mode === 'rejects') return Promise.reject(new Error('connection refused'));
    if (keeper.mode === 'hangs') return new Promise(() => undefined);
    if (keeper.mode === 'answers') return answer();
    const answered = answer();
    return new Promise((resolve) => void system.setTimer(slowMs, () => resolve(answered)));
  };
  const keeper: Keeper = {
    mode: 'answers',
    asked,
    said: new Map(),
    report(reports) {
      for (const report of reports) keeper.said.set(report.worker, report);
      return ask('report', () => circuits.report(reports));
    },
    acquireProbe: (request) => ask('acquireProbe', () => circuits.acquireProbe(request)),
    probeEnded: (end) => ask('probeEnded', () => circuits.probeEnded(end)),
    reset: (request) => ask('reset', () => circuits.reset(request)),
  };
  return keeper;
}

export function world(): World {
  const system = manualSystem();
  const keeper = keeperOn(system);
  const worker: World['worker'] = (name, options = {}, policy = {}, profile = 'spec') => {
    const events: TraceEvent[] = [];
    const faults: HubFault[] = [];
    let runs = 0;
    let behaviour: () => unknown = () => 'ok';
    const service = new ToolExecutionService({
      system,
      profile,
      policy: { retry: { maxAttempts: 1 }, ...policy },
      tools: [
        defineTool({
          name: 'search',
          run: () => {
            runs += 1;
            return behaviour();
          },
        }),
      ],
      sharedCircuits: shareCircuits(keeper, { worker: name, ...options }),
      onFault: (fault) => void faults.push(fault),
    });
    service.subscribe((event) => void events.push(event));
    const call = (): Promise<ToolResult> => service.executeTool({ toolName: 'search', arguments: {} });
    return {
      name,
      service,
      events,
      faults,
      runs: () => runs,
      behave: (next) => void (behaviour = next),
      call,
      async fail(times = 5) {
        behaviour = () => {
          throw down;
        };
        for (let time = 0; time < times; time += 1) await call();
      },
      async succeed() {
        behaviour = () => 'ok';
        await call();
      },
      circuit: () => service.getToolHealth('search')?.circuit,
      changes: () =>
        events.flatMap((event) =>
          event.event_type.startsWith('CircuitBreaker') && 'reason' in event
            ? [`${event.event_type.slice(14)} ${String(event.reason)}`]
            : [],
        ),
    };
  };
  return {
    system,
    keeper,
    worker,
    workers: (count, ...more) => Array.from({ length: count }, (_, index) => worker(`w${String(index + 1)}`, ...more)),
  };
}
