import fc from 'fast-check';
import { expect } from 'vitest';
import type { ToolResult } from '../../src/engine/call/result.ts';
import type { Store } from '../../src/engine/ports/store.ts';
import { ToolExecutionService } from '../../src/runtime/service/tool-execution-service.ts';
import type { CallPolicy, ToolPolicy } from '../../src/engine/settings/settings.ts';
import type { ManualSystem } from '../../src/testing/index.ts';
import { manualSystem } from '../../src/testing/index.ts';
import type { AttemptContext } from '../../src/engine/tool/runner.ts';
import { defineTool } from '../../src/engine/tool/tool.ts';
import type { TraceEvent } from '../../src/engine/trace/events.ts';
import { expectComplete } from '../support/complete-result.ts';
import {
  hostileAdvisors,
  hostileListeners,
  hostilePolicies,
  hostileStores,
  hostileValidations,
  schemaOf,
} from '../support/hostile-hooks.ts';
import type { WatchedSignal } from '../support/hostile-signals.ts';
import { hostileSignals } from '../support/hostile-signals.ts';
import { hostileTools } from '../support/hostile-tools.ts';
import { hostileValues } from '../support/hostile-values.ts';
import { readTrace } from '../support/well-formed-trace.ts';
import { hostileCompilers, hostileFaultHooks, readableRules } from './hostile-options.ts';
import type { Interference, Place } from './interference.ts';

const nameFrom = (table: Readonly<Record<string, unknown>>, harmless: string, weight = 2): fc.Arbitrary<string> =>
  fc.oneof({ weight, arbitrary: fc.constant(harmless) }, { weight: 1, arbitrary: fc.constantFrom(...Object.keys(table)) });

const policy: fc.Arbitrary<ToolPolicy> = fc.record(
  {
    timeoutMs: fc.constantFrom(1, 50, 1_000, 40_000),
    abandonMs: fc.constantFrom(0, 100, 60_000),
    acceptPartial: fc.boolean(),
    effect: fc.constantFrom('read', 'idempotent', 'unsafe'),
    concurrency: fc.constantFrom(false as const, { limit: 1, queue: 1 }, { limit: 1 }),
    rateLimit: fc.constantFrom(false as const, { limit: 1, windowMs: 300 }),
    retryBudget: fc.constantFrom(false as const, { ratio: 0.1, floor: 1 }),
    hedge: fc.constantFrom(false as const, { afterMs: 20, maxHedges: 2 }, { afterMs: 'p95' as const }),
    breaker: fc.constantFrom(false as const, { failureThreshold: 1, openMs: 100, probeLeaseMs: 500 }, { count: 'call' as const }),
    retry: fc.constantFrom(
      { maxAttempts: 1 },
      { initialDelayMs: 0, maxDelayMs: 0 },
      { jitter: 'full' as const },
      { strategy: 'linear_backoff' as const },
    ),
    fallback: fc.constantFrom({ value: null }, { value: { stale: true } }),
    maxOutputChars: fc.constantFrom(100, 50_000),
  },
  { requiredKeys: [] },
);

/** A service in which each part may be hostile. */
export const scene = fc.record({
  tool: fc.constantFrom(...hostileTools.keys()),
  backup: fc.constantFrom(...hostileTools.keys()),
  policy,
  input: fc.oneof(nameFrom(hostileValidations, 'passes'), fc.constantFrom('passes', 'passes', 'refuses')),
  output: fc.oneof(nameFrom(hostileValidations, 'passes'), fc.constantFrom('passes', 'passes', 'refuses')),
  compiler: fc.option(fc.constantFrom(...Object.keys(hostileCompilers)), { nil: undefined, freq: 2 }),
  rules: fc.constantFrom(...Object.keys(readableRules)),
  advisor: nameFrom(hostileAdvisors, 'agrees'),
  listener: nameFrom(hostileListeners, 'listens'),
  around: nameFrom(hostilePolicies, 'passes', 4),
  store: nameFrom(hostileStores, 'keeps'),
  onFault: nameFrom(hostileFaultHooks, 'hears'),
  signal: nameFrom(hostileSignals, 'never aborts', 3),
  signalAtMs: fc.constantFrom(0, 1, 60, 150, 1_000),
  timeoutMs: fc.constantFrom(undefined, undefined, 1, 120, 3_000),
  args: fc.constantFrom(...Object.keys(hostileValues)),
  profile: fc.constantFrom('spec' as const, 'service' as const, 'adaptive' as const),
  capture: fc.constantFrom('none' as const, 'arguments' as const, 'all' as const),
});
export type Scene = typeof scene extends fc.Arbitrary<infer Drawn> ? Drawn : never;

/** A service without hostile parts. */
export const plain: Scene = {
  tool: 'works',
  backup: 'works',
  policy: {},
  input: 'passes',
  output: 'passes',
  compiler: undefined,
  rules: 'none',
  advisor: 'agrees',
  listener: 'listens',
  around: 'passes',
  store: 'keeps',
  onFault: 'hears',
  signal: 'never aborts',
  signalAtMs: 0,
  timeoutMs: undefined,
  args: 'text',
  profile: 'spec',
  capture: 'all',
};

/** What the plain scene needs additionally so that user code runs at a place. */
export const leadingTo: Readonly<Partial<Record<Place, Partial<Scene>>>> = {
  advisor: { tool: 'fails transiently' },
  saveCircuits: { tool: 'fails transiently', policy: { breaker: { failureThreshold: 1 } } },
  addMemory: { tool: 'fails transiently', profile: 'adaptive', policy: { effect: 'read', retry: { maxAttempts: 2 } } },
  onFault: { listener: 'throws' },
};

export const callPolicy: fc.Arbitrary<CallPolicy | undefined> = fc.option(
  policy.map(({ breaker: _breaker, concurrency: _slots, rateLimit: _limit, retryBudget: _budget, ...rest }) => rest),
  { nil: undefined },
);

const named = <Value>(table: Readonly<Record<string, Value>>, name: string): Value => {
  const value = table[name];
  if (value === undefined) throw new Error(`no entry ${name}`);
  return value;
};

/** A service, with its published events. */
export class World {
  readonly system: ManualSystem = manualSystem();
  readonly service: ToolExecutionService;
  readonly signal: WatchedSignal;
  readonly args: unknown;
  /** Serialized when they were published, so that user code cannot modify them. */
  readonly #published: string[] = [];

  constructor(drawn: Scene, interference?: Interference) {
    const pass = (...received: Parameters<Interference['pass']>): void => interference?.pass(...received);
    const runAs = (name: string): ((args: unknown, context: AttemptContext) => unknown) => {
      const run = named(Object.fromEntries(hostileTools), name);
      return (args, context) => {
        pass('tool', args, context);
        return run(args, context);
      };
    };
    const validateAs = (place: 'input' | 'output', name: string): ReturnType<typeof schemaOf> =>
      schemaOf((value) => {
        pass(place, value);
        return named(hostileValidations, name)(value);
      });
    this.signal = named(hostileSignals, drawn.signal)(this.system, drawn.signalAtMs);
    this.args = named(hostileValues, drawn.args)();
    const { timeoutMs = 1_000 } = drawn.policy;
    this.service = new ToolExecutionService({
      system: this.system,
      seed: 'hostile',
      profile: drawn.profile,
      capture: drawn.capture,
      policy: { maxOutputChars: 50_000, timeoutMs: 1_000 },
      advisor: (...question) => {
        pass('advisor', ...question);
        return named(hostileAdvisors, drawn.advisor)(...question);
      },
      middleware: [
        (next) => {
          const wrapped = named(hostilePolicies, drawn.around)(next);
          return (args, context) => {
            pass('around', context);
            return wrapped(args, context);
          };
        },
      ],
      recoveryRules: named(readableRules, drawn.rules)(),
      store: this.#store(named(hostileStores, drawn.store)(), pass),
      onFault: (fault) => {
        pass('onFault', fault);
        return named(hostileFaultHooks, drawn.onFault)(fault);
      },
      ...(drawn.compiler === undefined ? {} : { jsonSchema: named(hostileCompilers, drawn.compiler) }),
      tools: [
        defineTool({
          name: 'search',
          ...drawn.policy,
          timeoutMs,
          alternatives: ['backup'],
          input: (drawn.compiler === undefined ? validateAs('input', drawn.input) : { type: 'object' }) as never,
          output: (drawn.compiler === undefined ? validateAs('output', drawn.output) : { type: 'object' }) as never,
          run: runAs(drawn.tool) as never,
        }),
        defineTool({ name: 'backup', run: runAs(drawn.backup) as never }),
        defineTool({ name: 'off', enabled: false, run: () => 'never' }),
      ],
    });
    // The first subscriber, so that no other can modify an event before.
    this.service.subscribe((event) => void this.#published.push(JSON.stringify(event)));
    const listener = named(hostileListeners, drawn.listener);
    this.service.subscribe((event) => {
      pass('listener', event);
      return listener(event);
    });
  }

  #store(store: Store, pass: Interference['pass']): Store {
    return {
      ...store,
      append: (events: readonly TraceEvent[]) => {
        pass('append', ...events);
        return store.append(events);
      },
      saveCircuits: (circuits: Parameters<Store['saveCircuits']>[0]) => {
        pass('saveCircuits', circuits);
        return store.saveCircuits(circuits);
      },
      addMemory: (learned: Parameters<Store['addMemory']>[0]) => {
        pass('addMemory', learned, ...learned);
        return store.addMemory(learned);
      },
    };
  }

  /** Waits for the promise; fails if nothing can settle it. */
  until<T>(promise: Promise<T>): Promise<T> {
    return this.system.until(promise);
  }

  expectCompleteResults(results: readonly (ToolResult | undefined)[]): void {
    for (const result of results) {
      expectComplete(result, { maxChars: 400_000 });
      const { cause: _cause, ...error } = result?.error ?? {};
      const plain = JSON.stringify({ ...result, error });
      if (JSON.stringify(JSON.parse(plain)) !== plain) throw new Error(`not the same after JSON: ${plain.slice(0, 500)}`);
    }
  }

  /** Lets all running work end, closes the service, and expects nothing left. */
  async expectNothingLeft(more: () => Promise<void> = async () => undefined): Promise<void> {
    const drain = async (): Promise<void> => {
      await more();
      for (let round = 0; round < 5 && this.system.pendingTimers > 0; round++) await this.system.advance(200_000);
    };
    await drain();
    await this.until(this.service.close());
    // Closing calls user code, too.
    await drain();
    expectPart({ timers: this.system.pendingTimers, listeners: this.signal.listeners() }, { timers: 0, listeners: 0 });
    for (const name of ['search', 'backup', 'off']) expectPart(this.service.getToolHealth(name), { inFlight: 0, orphaned: 0, queued: 0 });
  }

  /** Returns the published turns by id, with the keys of their calls. */
  readTraces(): ReadonlyMap<string, ReadonlySet<string>> {
    const byTurn = new Map<string, TraceEvent[]>();
    for (const text of this.#published) {
      const event = JSON.parse(text) as TraceEvent;
      byTurn.set(event.turn_id, [...(byTurn.get(event.turn_id) ?? []), event]);
    }
    return new Map(
      [...byTurn].filter(([turnId]) => !turnId.endsWith('-control')).map(([turnId, events]) => [turnId, readTrace(events)] as const),
    );
  }
}

function expectPart(real: object | undefined, part: object): void {
  expect(real).toMatchObject(part);
}
