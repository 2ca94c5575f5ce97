/** What one failure leaves behind for the next: nothing that the documents do not name. */
import {
  createEpisodicMemory,
  defineTool,
  ErrorHandler,
  ToolExecutionService,
  type DecisionInputs,
  type ToolResult,
  type TraceEvent,
} from '@holdfast/core';
import { AgentRun, Session } from '@holdfast/core/agent';
import { manualSystem } from '@holdfast/core/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { listLogger, weather } from './support/agent.ts';
import { eventsOf } from './support/events-of.ts';
import { propertyRuns } from './support/property-runs.ts';
import { fails, hangs, scriptedTool, succeeds } from './support/scripted-tool.ts';

type Facts = Omit<DecisionInputs, 'recoveryRules' | 'evidence'>;

const call = { toolName: 'weather', arguments: {} };
const unavailable = Object.assign(new Error('Service Unavailable'), { status: 503 });

/** Every fact with values that can decide differently. */
const values = {
  classification: ['transient', 'permanent', 'neutral'],
  failure: ['error', 'timeout'],
  ambiguous: [false, true],
  effect: ['read', 'idempotent', 'unsafe'],
  circuit: ['closed', 'open'],
  probe: [false, true],
  attempts: [1, 4, 5],
  maxAttempts: [5, 2],
  nextDelayMs: [0, 100],
  retryElapsedMs: [0, 1_900, 2_000],
  maxTotalTimeMs: [2_000, 1_000],
  turnTimeLeftMs: [10_000, 100],
  retryBudgetLeft: [1, 0],
  turnRetriesLeft: [1, 0],
  partialAvailable: [false, true],
  acceptPartial: [false, true],
  fallbackAvailable: [false, true],
  optional: [false, true],
} as const;

const facts = fc.record(Object.fromEntries(Object.entries(values).map(([name, each]) => [name, fc.constantFrom<unknown>(...each)])));
const changed = fc
  .constantFrom(...(Object.keys(values) as (keyof typeof values)[]))
  .chain((name) => fc.constantFrom<unknown>(...values[name]).map((value) => ({ [name]: value })));

test(
  'a handler decides about each failure by its own facts, whatever it has decided before',
  { tags: ['S0-6.1', 'S0-6.2', 'S1-6.2'] },
  () => {
    const noticeOf = (own: object) => ({
      turnId: 't',
      callId: 'a',
      toolName: 'weather',
      attempt: 1,
      code: 'SERVICE_UNAVAILABLE',
      message: 'Service Unavailable',
      facts: {
        turnId: 't',
        toolName: 'weather',
        category: 'unavailable',
        rule: 'status:503',
        retryCount: 0,
        alternatives: [],
        ...own,
      } as unknown as Facts,
    });
    fc.assert(
      fc.property(facts, changed, (first, change) => {
        const handler = new ErrorHandler();
        const heard: unknown[] = [];
        handler.subscribe((notice, { decision }) => heard.push([notice, decision]));
        const notices = [noticeOf(first), noticeOf({ ...first, ...change }), noticeOf(first)];
        const answers = notices.map((notice) => handler.handle(notice).decision);
        expect(answers).toEqual(notices.map((notice) => new ErrorHandler().handle(notice).decision));
        expect(handler.inbox).toEqual(notices);
        expect(heard).toEqual(notices.map((notice, index) => [notice, answers[index]]));
      }),
      propertyRuns(600),
    );
  },
);

test.each([
  ['spec', 5],
  ['service', 4],
] as const)(
  '%s: of thirty calls that fail, each has %i attempts, whatever came of the others',
  { tags: ['S0-2.1', 'S4-single', 'S1-2.3'] },
  async (profile, attempts) => {
    const system = manualSystem();
    const { tool } = scriptedTool(
      system,
      'weather',
      Array.from({ length: 200 }, () => fails(unavailable)),
      { breaker: false },
    );
    const service = new ToolExecutionService({ tools: [tool], system, profile });
    const results: ToolResult[] = [];
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    for (let index = 0; index < 30; index += 1) results.push(await system.until(service.executeTool(call)));
    expect(new Set(results.map((result) => result.attempts))).toEqual(new Set([attempts]));
  },
);

const endings = fc.array(fc.constantFrom('transient', 'cancelled', 'permanent', 'success'), { minLength: 1, maxLength: 14 });

test(
  'a circuit counts consecutive transient failures; a call that its caller cancels is none, and interrupts none',
  { tags: ['S0-3.2', 'S0-3.4', 'S4-circuit-state'] },
  async () => {
    await fc.assert(
      fc.asyncProperty(endings, async (script) => {
        const system = manualSystem();
        const steps = { transient: fails(unavailable), cancelled: hangs, permanent: fails('Invalid input'), success: succeeds() };
        const { tool } = scriptedTool(
          system,
          'weather',
          script.map((each) => steps[each as keyof typeof steps]),
          { retry: { maxAttempts: 1 }, breaker: { failureThreshold: 100 } },
        );
        const service = new ToolExecutionService({ tools: [tool], system });
        let count = 0;
        const tally = { cancelled: 0, success: 0, error: 0 };
        for (const each of script) {
          const controller = new AbortController();
          if (each === 'cancelled') system.setTimer(50, () => controller.abort());
          // oxlint-disable-next-line no-await-in-loop -- one after the other
          const { error } = await system.until(service.executeTool(call, { signal: controller.signal }));
          expect(error?.code === 'CANCELLED').toBe(each === 'cancelled');
          if (each !== 'cancelled') count = each === 'transient' ? count + 1 : 0;
          tally[each === 'cancelled' || each === 'success' ? each : 'error'] += 1;
          expect(service.getToolHealth('weather')).toMatchObject({ circuit: 'closed', failureCount: count });
        }
        const ended = script.length - tally.cancelled;
        expect(service.getToolMetrics('weather')).toMatchObject({
          totalExecutions: script.length,
          successCount: tally.success,
          errorCount: tally.error,
          cancelledCount: tally.cancelled,
          timeoutCount: 0,
          failureRate: ended === 0 ? 0 : tally.error / ended,
        });
      }),
      propertyRuns(60),
    );
  },
);

test(
  'every log entry of a session has its correlation id, also of listeners and reducers that fail because of each other',
  { tags: ['S2-correlation', 'S2-logs', 'S2-nothing-swallowed'] },
  () => {
    const { logger, entries } = listLogger();
    const reduce = (): never => {
      throw new Error('closed');
    };
    const session: Session = new Session({ logger, correlationId: 'c-1', slices: { cart: { initial: 0, reduce } } }) as never;
    session.onReducerError(() => void session.append({ event_type: 'Custom', name: 'again' }));
    session.onReducerError(() => {
      throw new Error('no listener');
    });
    session.append({ event_type: 'Custom', name: 'first' });
    expect(new Set(entries.map(({ text }) => text))).toEqual(
      new Set(['reducer failed', 'reducer error listener failed', 'reducer errors are nested too deeply; listeners are not called']),
    );
    expect(new Set(entries.map(({ details }) => details['correlationId']))).toEqual(new Set(['c-1']));
    expect(session.reducerErrors.length).toBeGreaterThan(1);
  },
);

test.each(['', 'no', '{"city"', '{"city":"Oslo"}}', "{'city':'Oslo'}", '[1,]'])(
  'the model is told why its output %j cannot be read',
  { tags: ['S2-structured-output', 'S2-principle-prompt'] },
  async (text) => {
    const session = new Session();
    const run = new AgentRun({ service: new ToolExecutionService({ tools: [weather] }), session });
    const output = await run.readOutput(text, { type: 'object', required: ['city'] });
    expect(output).toMatchObject({
      ok: false,
      error: { name: 'StructuredOutputError', message: expect.stringMatching(/^The output is not valid JSON: ./u) as string },
    });
    expect('text' in output ? output.text : '').toMatch(/^Error INVALID_STRUCTURED_OUTPUT: The output is not valid JSON: .+\n/u);
    expect(session.latestFeedback()).toMatchObject({
      source: 'structured_output',
      errorType: 'StructuredOutputError',
      message: expect.stringContaining('not valid JSON') as string,
    });
  },
);

test(
  'calls and results that cannot be read do not match, without an error',
  { tags: ['S4-methods', 'S4-response-validation', 'S3-invariant'] },
  () => {
    const service = new ToolExecutionService({ tools: [weather] });
    const unreadable = new Proxy([], {
      get() {
        throw new Error('not for you');
      },
    });
    for (const [calls, results] of [
      [unreadable, []],
      [[], unreadable],
    ] as const)
      expect(service.validateResponseMatch(calls, results)).toEqual({
        matches: false,
        missing: [],
        unexpected: [],
        reordered: false,
        problems: [expect.stringContaining('not for you')],
      });
  },
);

const lessons = fc.array(fc.record({ kind: fc.constantFrom('reset', 'limited'), retried: fc.boolean(), replaced: fc.boolean() }), {
  minLength: 1,
  maxLength: 9,
});

test('memory counts how each strategy ended, for each kind of error and each alternative', { tags: ['S0-6.2', 'S0-9'] }, async () => {
  await fc.assert(
    fc.asyncProperty(lessons, async (script) => {
      const system = manualSystem();
      const errors = { reset: fails('Connection reset'), limited: fails('Rate limit exceeded') } as const;
      const policy = { breaker: false, retry: { maxAttempts: 2 } } as const;
      const steps = script.flatMap(({ kind, retried }) => [errors[kind as 'reset'], retried ? succeeds() : errors[kind as 'reset']]);
      const replies = script.flatMap(({ retried, replaced }) => (retried ? [] : [replaced ? succeeds() : fails('Invalid input')]));
      const tool = scriptedTool(system, 'weather', steps, { ...policy, alternatives: ['radar'] });
      const radar = scriptedTool(system, 'radar', [...replies, succeeds()], policy);
      const service = new ToolExecutionService({ tools: [tool.tool, radar.tool], system });
      const memory = createEpisodicMemory();
      const events: TraceEvent[] = [];
      service.subscribe((event) => {
        events.push(event);
        memory.observe(event);
      });
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      for (const _ of script) await system.until(service.executeTool(call));
      const decided = eventsOf(events, 'RecoveryDecided').filter(({ tool_id: name }) => name === 'weather');
      for (const kind of new Set(script.map((each) => each.kind))) {
        const own = script.filter((each) => each.kind === kind);
        const facts = decided.find(({ inputs }) => (inputs.category === 'rate_limit') === (kind === 'limited'))?.inputs;
        const lost = own.filter(({ retried }) => !retried);
        expect(memory.recall({ toolName: 'weather', category: facts?.category ?? 'unknown', rule: facts?.rule ?? '' } as never)).toEqual(
          expect.arrayContaining([
            { strategy: 'retry', tried: own.length, succeeded: own.length - lost.length, withheld: 0 },
            ...(lost.length === 0
              ? []
              : [
                  {
                    strategy: 'use_alternative',
                    toolName: 'radar',
                    tried: lost.length,
                    succeeded: lost.filter(({ replaced }) => replaced).length,
                  },
                ]),
          ]),
        );
      }
    }),
    propertyRuns(60),
  );
});

test('each call of a batch is run under its own id, however often the ids repeat', { tags: ['S4-batch'] }, async () => {
  const ids = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 7 });
  await fc.assert(
    fc.asyncProperty(ids, async (given) => {
      const seen: unknown[] = [];
      const own = defineTool({ name: 'own', run: ({ at }: { readonly at: number }, { callId }) => void (seen[at] = callId) });
      const service = new ToolExecutionService({ tools: [own], system: manualSystem() });
      const results = await service.executeToolBatch(given.map((callId, at) => ({ callId, toolName: 'own', arguments: { at } })));
      expect([results.map(({ callId }) => callId), seen]).toEqual([given, given]);
    }),
    propertyRuns(40),
  );
});

test.each([1, 999, 29_999, 30_000, 30_001, 45_000, 600_000])(
  'an attempt ends at its limit of %i ms, as its event says',
  { tags: ['S0-4.1', 'S1-4.4', 'S4-timeout'] },
  async (timeoutMs) => {
    const system = manualSystem();
    const { tool, aborts } = scriptedTool(system, 'weather', [hangs], { timeoutMs, retry: { maxAttempts: 1 } });
    const { trace, results } = await system.until(
      new ToolExecutionService({ tools: [tool], system }).executeTurn({ timeoutMs: 900_000, calls: [call] }),
    );
    expect(eventsOf(trace, 'ToolTimeout').map(({ timeout_ms: limit, elapsed_ms: at, tool_id: name }) => [limit, at, name])).toEqual([
      [timeoutMs, timeoutMs, 'weather'],
    ]);
    expect([results[0]?.status, results[0]?.executionTime, aborts.length]).toEqual(['timeout', timeoutMs, 1]);
  },
);
