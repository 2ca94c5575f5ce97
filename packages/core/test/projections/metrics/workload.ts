/** A random mix of calls through the whole engine on a manual clock: tools that answer, fail, hang, queue, are rate-limited or replaced. */
import { defineTool } from '../../../src/engine/tool/tool.ts';
import type { AnyTool } from '../../../src/engine/tool/tool.ts';
import { ToolExecutionService } from '../../../src/runtime/service/tool-execution-service.ts';
import type { AttemptContext } from '../../../src/engine/tool/runner.ts';
import { manualSystem } from '../../../src/testing/index.ts';
import type { ManualSystem } from '../../../src/testing/index.ts';
import type { TraceEvent } from '../../../src/engine/trace/events.ts';
import type { CancelSignal } from '../../../src/engine/ports/signal.ts';
import type { PlannedCall } from '../../../src/engine/turn/plan.ts';
import type { ToolPolicy } from '../../../src/engine/settings/settings.ts';

type Random = () => number;

/** Mulberry32. */
function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const pick = <Value>(random: Random, values: readonly Value[]): Value => values[Math.floor(random() * values.length)] as Value;

type End = 'answers' | 'unavailable' | 'reset' | 'wrong' | 'denied' | 'unreadable' | 'breaks its schema' | 'hangs' | 'comes late' | 'busy';

const errors: Readonly<Partial<Record<End, () => unknown>>> = {
  unavailable: () => Object.assign(new Error('down'), { status: 503 }),
  reset: () => Object.assign(new Error('reset'), { code: 'ECONNRESET' }),
  wrong: () => Object.assign(new Error('bad'), { status: 400 }),
  denied: () => Object.assign(new Error('no'), { status: 403 }),
  unreadable: () => new SyntaxError('Unexpected token < in JSON'),
  busy: () => Object.assign(new Error('busy'), { status: 429, headers: { 'retry-after': '1' } }),
};

interface Behavior extends ToolPolicy {
  readonly ends: readonly End[];
  readonly reports?: boolean;
  readonly enabled?: boolean;
}

const noJitter = { jitter: 'none', initialDelayMs: 100, maxDelayMs: 400 } as const;

const behaviors: Readonly<Record<string, Behavior>> = {
  steady: { ends: ['answers'] },
  flaky: { ends: ['answers', 'answers', 'unavailable', 'reset'], retryBudget: { ratio: 0.2, floor: 3, windowMs: 1_000 } },
  broken: {
    ends: ['unavailable', 'unavailable', 'unavailable', 'answers'],
    alternatives: ['flaky', 'picky', 'steady'],
    fallback: { value: 'none' },
  },
  picky: { ends: ['answers', 'wrong', 'denied', 'unreadable', 'breaks its schema'], breaker: false },
  hanging: { ends: ['answers', 'hangs', 'comes late'], timeoutMs: 300, abandonMs: 500, breaker: false },
  partial: { ends: ['hangs', 'answers'], timeoutMs: 300, abandonMs: 500, acceptPartial: true, reports: true, breaker: false },
  crowded: { ends: ['answers'], concurrency: { limit: 3, queue: 6 } },
  limited: { ends: ['answers', 'busy'], rateLimit: { limit: 12, windowMs: 1_000 } },
  unsafe: { ends: ['answers', 'reset', 'hangs'], effect: 'unsafe', timeoutMs: 200, abandonMs: 100 },
  hedged: { ends: ['answers', 'comes late'], effect: 'read', hedge: { afterMs: 100 }, timeoutMs: 500, abandonMs: 300 },
  off: { ends: ['answers'], enabled: false },
};

export const toolNames: readonly string[] = Object.keys(behaviors);

function toolOf(name: string, { ends, reports, ...policy }: Behavior, random: Random, system: ManualSystem): AnyTool {
  const run = (_arguments: unknown, { reportPartial }: AttemptContext): Promise<unknown> => {
    const end = pick(random, ends);
    if (reports) reportPartial('half');
    return new Promise((resolve, reject) => {
      if (end === 'hangs') return;
      const takesMs = end === 'comes late' ? 550 : 50 * Math.floor(random() * 6);
      const settle = (): void => {
        const error = errors[end]?.();
        if (error === undefined) resolve({ value: end === 'breaks its schema' ? 'text' : 1 });
        else reject(error as Error);
      };
      system.setTimer(takesMs, settle);
    });
  };
  return defineTool({
    name,
    run,
    retry: noJitter,
    input: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
    ...(name === 'picky' ? { output: { type: 'object', properties: { value: { type: 'number' } }, required: ['value'] } } : {}),
    ...policy,
  });
}

const argumentsOf = (random: Random): unknown => (random() < 0.05 ? {} : { query: 'x' });
const nameOf = (random: Random): string => (random() < 0.02 ? `invented_${Math.floor(random() * 1e6)}` : pick(random, toolNames));

function planOf(random: Random, size: number): readonly PlannedCall[] {
  return Array.from({ length: size }, (_, index) => {
    const needed = index > 0 && random() < 0.4 ? [`c${Math.floor(random() * index)}`] : [];
    return {
      callId: `c${index}`,
      toolName: nameOf(random),
      arguments: argumentsOf(random),
      dependsOn: needed,
      optional: random() < 0.2,
      ...(needed[0] !== undefined && random() < 0.3 ? { defaults: { [needed[0]]: 0 } } : {}),
    };
  });
}

/** Runs at least `atLeast` calls; `onBatch` gets the events of each batch once all its calls have their results, and those of late work. */
export async function runCalls(
  seed: number,
  atLeast: number,
  onEvent: (event: TraceEvent) => void,
  onBatch: (events: readonly TraceEvent[]) => void,
): Promise<number> {
  const random = seeded(seed);
  const system = manualSystem();
  const tools = Object.entries(behaviors).map(([name, behavior]) => toolOf(name, behavior, random, system));
  const service = new ToolExecutionService({ system, tools, seed });
  let events: TraceEvent[] = [];
  service.subscribe((event) => {
    events.push(event);
    onEvent(event);
  });
  const endBatch = (): void => {
    onBatch(events);
    events = [];
  };
  let calls = 0;
  const turn = (): Promise<unknown> => {
    const plan = planOf(random, 1 + Math.floor(random() * 10));
    calls += plan.length;
    const signal = random() < 0.05 ? cancelled(system, random) : undefined;
    const onDeadline = pick(random, ['detach', 'abort'] as const);
    return service.executeTurn({ calls: plan, concurrency: 4, timeoutMs: pick(random, [400, 2_000, 60_000]), onDeadline }, { signal });
  };
  const singleCall = (): Promise<unknown> => {
    calls += 1;
    const signal = random() < 0.05 ? cancelled(system, random) : undefined;
    const call = { toolName: nameOf(random), arguments: argumentsOf(random) };
    return service.executeTool(call, random() < 0.1 ? { signal, timeoutMs: 250 } : { signal });
  };
  while (calls < atLeast) {
    const batch = Array.from({ length: 200 }, () => (random() < 0.4 ? turn() : singleCall()));
    await system.until(Promise.all(batch));
    endBatch();
    // A pause in which circuits may close and rate limits recover.
    await system.advance(random() < 0.2 ? 40_000 : 300);
  }
  await system.advance(200_000);
  endBatch();
  return calls;
}

function cancelled(system: ManualSystem, random: Random): CancelSignal {
  const source = system.createCancelSource();
  system.setTimer(50 * Math.floor(random() * 10), () => source.abort(() => new Error('enough')));
  return source.signal;
}
