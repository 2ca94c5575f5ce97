/**
 * A program: calls that are aborted, or time out, repeatedly and in every state of a call. Prints by state what is left, and how often the state was
 * reached.
 */
import { getEventListeners } from 'node:events';
import { defineTool, ToolExecutionService } from '../../src/index.ts';
import type { ExecuteOptions, ToolPolicy } from '../../src/index.ts';
import { heapAfterCollection, timersSet } from './heap.ts';

const unavailable = Object.assign(new Error('down'), { status: 503 });
const polite = (_args: unknown, { signal }: { readonly signal: AbortSignal }): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
const deaf = (): Promise<never> => new Promise(() => undefined);
const fail = (): never => {
  throw unavailable;
};

interface State {
  readonly policy: ToolPolicy;
  readonly run: (args: unknown, context: { readonly signal: AbortSignal }) => unknown;
  /** Makes the tool behave so that a call reaches the state. */
  readonly before?: (service: ToolExecutionService, options: ExecuteOptions) => Promise<unknown>;
  /** An event that a call in this state has recorded. */
  readonly sign: string;
  readonly delayMs: number;
}

const patient = { timeoutMs: 60_000, retry: { maxAttempts: 1 } } as const;
const states: Readonly<Record<string, State>> = {
  'before it starts': { policy: patient, run: polite, sign: '', delayMs: -1 },
  'in an attempt that listens to the signal': { policy: patient, run: polite, sign: 'AttemptStarted', delayMs: 1 },
  'in an attempt that ignores the signal': { policy: { ...patient, abandonMs: 5 }, run: deaf, sign: 'AttemptStarted', delayMs: 1 },
  'in a delay': {
    policy: { retry: { initialDelayMs: 60_000, maxDelayMs: 60_000, maxTotalTimeMs: 100_000 }, breaker: false },
    run: fail,
    sign: 'RetryScheduled',
    delayMs: 1,
  },
  'waiting for a slot': {
    policy: { ...patient, concurrency: { limit: 1 } },
    run: polite,
    before: (service, options) => service.executeTool({ toolName: 'tool' }, options),
    sign: 'AdmissionWaiting',
    delayMs: 1,
  },
  'waiting for the rate limit': {
    policy: { rateLimit: { limit: 1, windowMs: 60_000 }, retry: { maxTotalTimeMs: 100_000 }, timeoutMs: 60_000 },
    run: polite,
    before: (service, options) => service.executeTool({ toolName: 'tool' }, options),
    sign: 'AdmissionWaiting',
    delayMs: 1,
  },
  'as a probe': {
    policy: { ...patient, breaker: { failureThreshold: 1, openMs: 1 } },
    run: (args, context) => (args === 'fail' ? fail() : polite(args, context)),
    before: async (service) => {
      await service.executeTool({ toolName: 'tool', arguments: 'fail' });
      await new Promise((resolve) => setTimeout(resolve, 3));
    },
    sign: 'CircuitBreakerHalfOpened',
    delayMs: 1,
  },
  hedged: {
    policy: { ...patient, retry: { maxAttempts: 3 }, effect: 'read', hedge: { afterMs: 1, maxHedges: 2 } },
    run: polite,
    sign: 'hedge',
    delayMs: 12,
  },
  'after its end': { policy: patient, run: async () => 1, sign: 'ToolSucceeded', delayMs: 5 },
};

const wait = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** One service with 20 concurrent calls, each stopped in the state. */
async function stopMany({ policy, run, before, sign, delayMs }: State, how: string): Promise<readonly [number, number]> {
  const tool = defineTool({ name: 'tool', ...policy, run: run as never });
  const service = new ToolExecutionService({ turn: { onDeadline: 'abort' }, tools: [tool] });
  let signs = 0;
  service.subscribe((event) => {
    if (event.event_type === sign || (sign === 'hedge' && event.event_type === 'AttemptStarted' && event.hedge === true)) signs += 1;
  });
  const controller = new AbortController();
  const { signal } = controller;
  const limited = how === 'time' && delayMs > 0 ? { signal, timeoutMs: delayMs + 4 } : { signal };
  if (delayMs < 0) controller.abort();
  const first = before?.(service, limited);
  if (sign === 'CircuitBreakerHalfOpened') await first;
  const call = { toolName: 'tool' };
  const answers = [
    ...Array.from({ length: 10 }, () => service.executeTool(call, limited)),
    service.executeToolBatch(
      Array.from({ length: 5 }, () => call),
      limited,
    ),
    service.executeTurn({ calls: Array.from({ length: 5 }, () => call) }, limited),
  ];
  if (delayMs > 0) await wait(delayMs);
  if (how === 'abort') controller.abort(new Error('enough'));
  await Promise.all([first, ...answers]);
  // Work that ignores the signal keeps its slot until it is abandoned.
  for (let round = 0; round < 200 && service.getToolHealth('tool')?.inFlight !== 0; round++) await wait(1);
  const { inFlight = 1, queued = 1, orphaned = 1 } = service.getToolHealth('tool') ?? {};
  return [signs, getEventListeners(signal, 'abort').length + inFlight + queued + orphaned];
}

const [how = 'abort'] = process.argv.slice(2);
const rounds = 20;
const report: Record<string, unknown> = {};
for (const [name, state] of Object.entries(states)) {
  let [signs, left] = [0, 0];
  for (let round = 0; round < rounds; round++) {
    const [more, leftOver] = await stopMany(state, how);
    signs += more;
    left += leftOver;
  }
  const early = await heapAfterCollection();
  for (let round = 0; round < rounds; round++) await stopMany(state, how);
  const grown = (await heapAfterCollection()) - early;
  report[name] = { reached: state.sign === '' || signs > 0, left, timers: timersSet(), grownPerCall: Math.round(grown / (rounds * 20)) };
}
console.log(JSON.stringify(report));
