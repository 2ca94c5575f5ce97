/** Several services with one coordinator, on a manual clock. */
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
import type { Store } from '../../../src/engine/ports/store.ts';
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
  /** The number of runs of the tool at this worker. */
  readonly runs: () => number;
  /** Sets the behaviour of the tool at this worker. */
  readonly behave: (behaviour: () => unknown) => void;
  readonly call: () => Promise<ToolResult>;
  /** Makes failing calls, by default as many as open the circuit. */
  readonly fail: (times?: number) => Promise<void>;
  readonly succeed: () => Promise<void>;
  readonly circuit: () => string | undefined;
  readonly changes: () => readonly string[];
}

export interface World {
  readonly system: ManualSystem;
  readonly coordinator: TestCoordinator;
  readonly worker: (name: string, options?: CircuitSharingOptions, policy?: ToolPolicy, profile?: ProfileName, store?: Store) => Worker;
  readonly workers: (count: number, options?: CircuitSharingOptions, policy?: ToolPolicy, profile?: ProfileName) => readonly Worker[];
}

/** A coordinator that can be down, and counts its requests. */
interface TestCoordinator extends SharedCircuits {
  mode: 'answers' | 'rejects' | 'hangs' | 'slow';
  /** The latest report of each worker. */
  readonly lastReports: Map<string, CircuitReport>;
  readonly requests: Record<'report' | 'acquireProbe' | 'probeEnded' | 'reset', number>;
}

const slowMs = 120;

function createCoordinator(system: ManualSystem): TestCoordinator {
  const circuits = memorySharedCircuits({ epochMs: () => system.epochMs() });
  const requests = { report: 0, acquireProbe: 0, probeEnded: 0, reset: 0 };
  const handle = <Answer>(name: keyof typeof requests, answer: () => Promise<Answer>): Promise<Answer> => {
    requests[name] += 1;
    if (coordinator.mode === 'rejects') return Promise.reject(new Error('connection refused'));
    if (coordinator.mode === 'hangs') return new Promise(() => undefined);
    if (coordinator.mode === 'answers') return answer();
    const pendingAnswer = answer();
    return new Promise((resolve) => void system.setTimer(slowMs, () => resolve(pendingAnswer)));
  };
  const coordinator: TestCoordinator = {
    mode: 'answers',
    requests,
    lastReports: new Map(),
    report(reports) {
      for (const report of reports) coordinator.lastReports.set(report.worker, report);
      return handle('report', () => circuits.report(reports));
    },
    acquireProbe: (request) => handle('acquireProbe', () => circuits.acquireProbe(request)),
    probeEnded: (end) => handle('probeEnded', () => circuits.probeEnded(end)),
    reset: (request) => handle('reset', () => circuits.reset(request)),
  };
  return coordinator;
}

export function world(): World {
  const system = manualSystem();
  const coordinator = createCoordinator(system);
  const worker: World['worker'] = (name, options = {}, policy = {}, profile = 'spec', store) => {
    const events: TraceEvent[] = [];
    const faults: HubFault[] = [];
    let runs = 0;
    let behaviour: () => unknown = () => 'ok';
    const service = new ToolExecutionService({
      system,
      profile,
      ...(store && { store }),
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
      sharedCircuits: shareCircuits(coordinator, { worker: name, ...options }),
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
    coordinator,
    worker,
    workers: (count, ...more) => Array.from({ length: count }, (_, index) => worker(`w${String(index + 1)}`, ...more)),
  };
}
