/**
 * Random answers of several calls, or of an output, with reducers that fail at random events: the session, its errors, the trace and what the model is told are those of a
 * plain program (S2).
 */
/* oxlint-disable vitest/no-conditional-expect -- the plain program says what is expected */
import { defineTool, ToolExecutionService, type TraceEvent } from '@holdfast/core';
import { AgentRun, LinearBackoff, Session, type ReducerError, type SessionEvent } from '@holdfast/core/agent';
import { manualSystem } from '@holdfast/core/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { expectExported } from './support/exported-metrics.ts';
import { propertyRuns } from './support/property-runs.ts';

const eventTypes = [
  'ToolInvoked',
  'ValidationRetryScheduled',
  'ValidationRetryExhausted',
  'ValidationRecovered',
  'StructuredOutputParsed',
] as const;
type EventType = (typeof eventTypes)[number] | 'AgentRunStopped';
const tools = ['weather', 'hotels'] as const;

const failsAt = fc.subarray([...eventTypes], { maxLength: 2 });
/** Of one call after the other whether it is valid, or whether an output is. */
const answers = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.array(fc.record({ tool: fc.constantFrom(...tools), valid: fc.constantFrom(false, false, true) }), {
        minLength: 1,
        maxLength: 4,
      }),
    },
    { weight: 1, arbitrary: fc.boolean() },
  ),
  { minLength: 1, maxLength: 6 },
);

interface Row {
  readonly type: EventType;
  readonly tool?: string;
  readonly call?: string;
  readonly attempt?: number;
  readonly stoppedBy?: string;
}

interface Streak {
  attempts: number;
  answer: number;
  reducerFailed: boolean;
}

/** What the session holds after each answer, one event after the other, each followed by the failures of reducers at it. */
class AnswerModel {
  readonly rows: Row[] = [];
  readonly errors: { readonly reducer: string; readonly row: Row }[] = [];
  isStopped = false;
  readonly #streaks = new Map<string, Streak>();
  readonly #slices: Readonly<Record<string, readonly string[]>>;
  readonly #policy: { readonly maxAttempts: number; readonly allowed: (key: string) => boolean };

  constructor(
    slices: Readonly<Record<string, readonly string[]>>,
    policy: { readonly maxAttempts: number; readonly allowed: (key: string) => boolean },
  ) {
    this.#slices = slices;
    this.#policy = policy;
  }

  /** The reducers that failed at it. */
  #append(row: Row): readonly string[] {
    this.rows.push(row);
    const failed = Object.keys(this.#slices).filter((name) => this.#slices[name]?.includes(row.type));
    for (const reducer of failed) this.errors.push({ reducer, row });
    return failed;
  }

  /** Returns the reducers whose failures the model is told, and the delay in seconds. */
  invalid(
    key: string,
    answer: number,
    about: Omit<Row, 'type'>,
  ): { readonly failed: readonly string[]; readonly delay: number; readonly isLast: boolean } {
    const { maxAttempts } = this.#policy;
    const allowed = this.#policy.allowed(key);
    const streak = this.#streaks.get(key) ?? { attempts: 0, answer: -1, reducerFailed: false };
    if (streak.answer !== answer) streak.attempts += 1;
    streak.answer = answer;
    this.#streaks.set(key, streak);
    const stoppedBy = streak.reducerFailed && !allowed ? 'reducer_error' : streak.attempts >= maxAttempts ? 'attempts' : undefined;
    const isLast = stoppedBy !== undefined;
    const row = { ...about, attempt: streak.attempts };
    const failed = [
      ...this.#append(isLast ? { ...row, type: 'ValidationRetryExhausted', stoppedBy } : { ...row, type: 'ValidationRetryScheduled' }),
    ];
    if (isLast && !this.isStopped) this.#append({ type: 'AgentRunStopped' });
    if (isLast) this.isStopped = true;
    if (about.tool !== undefined) failed.push(...this.#append({ ...about, type: 'ToolInvoked' }));
    if (failed.length > 0) streak.reducerFailed = true;
    const delay = isLast || (failed.length > 0 && !allowed) ? 0 : streak.attempts;
    return { failed, delay, isLast };
  }

  valid(key: string, answer: number, about: Omit<Row, 'type'>): readonly string[] {
    const streak = this.#streaks.get(key);
    if (streak && streak.answer !== answer) {
      this.#streaks.delete(key);
      this.#append({ ...about, type: 'ValidationRecovered', attempt: streak.attempts + 1 });
    }
    const failed = this.#append({ ...about, type: about.tool === undefined ? 'StructuredOutputParsed' : 'ToolInvoked' });
    const open = this.#streaks.get(key);
    if (failed.length > 0 && about.tool !== undefined && open) open.reducerFailed = true;
    return failed;
  }

  resume(): void {
    this.isStopped = false;
    this.#streaks.clear();
  }
}

const sliceOf = (types: readonly string[]) => ({
  initial: 0,
  reduce(state: number, event: SessionEvent): number {
    if (types.includes(event.event_type)) throw new RangeError(`no ${event.event_type}`);
    return state + 1;
  },
});

const rowOf = (event: SessionEvent | TraceEvent): Row => {
  const {
    event_type: type,
    tool_id: tool,
    call_id: call,
    attempt,
    attempts,
    stopped_by: stoppedBy,
  } = event as unknown as {
    readonly [name: string]: unknown;
  };
  return Object.fromEntries(
    Object.entries({ type, tool, call, attempt: attempt ?? attempts, stoppedBy }).filter(([, value]) => value !== undefined),
  ) as unknown as Row;
};

const errorRow = ({ name, code, reducer, message, errorType, payload }: ReducerError) => ({
  name,
  code,
  reducer,
  message,
  errorType,
  row: rowOf(payload as SessionEvent),
});

const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const tags = [
  'S2-reducers',
  'S2-reducer-error',
  'S2-nothing-swallowed',
  'S2-tool',
  'S2-structured-output',
  'S2-exhaustion',
  'S2-metrics',
  'S2-logs',
  'S2-exported-metrics',
];

test('answers of several calls, with reducers that fail', { tags }, async () => {
  await fc.assert(
    fc.asyncProperty(
      failsAt,
      failsAt,
      fc.integer({ min: 1, max: 4 }),
      fc.constantFrom('never', 'never', 'run', 'tools', 'call'),
      answers,
      async (cart, log, maxAttempts, allowedBy, script) => {
        const system = manualSystem();
        const service = new ToolExecutionService({
          tools: tools.map((name) => defineTool({ name, input: schema, run: () => 'found' })),
          system,
          seed: 'model',
        });
        const trace: TraceEvent[] = [];
        service.subscribe((event) => void trace.push(event));
        const heard: ReducerError[] = [];
        const session = new Session({
          system,
          slices: { cart: sliceOf(cart), log: sliceOf(log) },
          onReducerError: (error) => void heard.push(error),
        });
        // The policy that allows retries after failures of reducers may be the run's, the tools' or each call's.
        const errorTypes = ['ToolValidationError', 'StructuredOutputError'];
        const allowing = { retryableErrors: [...errorTypes, 'ReducerError'] };
        const allowed = (key: string): boolean => allowedBy === 'run' || (allowedBy !== 'never' && key !== 'output');
        const run = new AgentRun({
          service,
          session,
          validationRetries: {
            maxAttempts,
            backoff: new LinearBackoff(1, 1),
            ...(allowedBy === 'run' ? allowing : { retryableErrors: errorTypes }),
          },
          ...(allowedBy === 'tools' ? { toolValidationRetries: { weather: allowing, hotels: allowing } } : {}),
          maxIdenticalFailures: 100,
        });
        const model = new AnswerModel({ cart, log }, { maxAttempts, allowed });
        const expectTold = (text: string, failed: readonly string[], isHalted: boolean): void => {
          for (const reducer of ['cart', 'log']) {
            expect(text.includes(`It could not be applied to '${reducer}': no `), text).toBe(failed.includes(reducer));
            expect(text.includes(`first deal with the failure of '${reducer}'`) || text.includes(`and '${reducer}'`), text).toBe(
              isHalted && failed.includes(reducer),
            );
          }
        };

        for (const [index, answer] of script.entries()) {
          const began = system.now();
          let delay = 0;
          if (typeof answer === 'boolean') {
            const output = await system.until(run.readOutput(JSON.stringify(answer ? { city: 'Oslo' } : { city: index }), schema));
            expect(output.ok).toBe(answer);
            if (answer) model.valid('output', index, {});
            else {
              const told = model.invalid('output', index, {});
              delay = told.delay;
              expectTold('text' in output ? output.text : '', told.failed, !told.isLast && !allowed('output'));
            }
          } else {
            const calls = answer.map(({ tool, valid }, at) => ({
              callId: `${index}.${at}`,
              toolName: tool,
              arguments: { city: valid ? 'Oslo' : index * 10 + at },
              ...(allowedBy === 'call' ? { validationRetries: allowing } : {}),
            }));
            const given = await system.until(run.answer(calls));
            expect(given.map(({ callId, isError }) => [callId, isError])).toEqual(
              answer.map(({ valid }, at) => [`${index}.${at}`, !valid]),
            );
            for (const wanted of [false, true])
              for (const [at, { tool, valid }] of answer.entries()) {
                if (valid !== wanted) continue;
                const about = { tool, call: `${index}.${at}` };
                const text = given[at]?.text ?? '';
                if (valid) expectTold(text, model.valid(tool, index, about), !allowed(tool));
                else {
                  const told = model.invalid(tool, index, about);
                  delay = Math.max(delay, told.delay);
                  expectTold(text, told.failed, !told.isLast && !allowed(tool));
                }
              }
          }
          expect(system.now() - began).toBeCloseTo(delay * 1_000, 6);
          expect(run.stopped !== undefined).toBe(model.isStopped);
          if (model.isStopped) {
            run.resume();
            model.resume();
          }
        }

        const expectedErrors = model.errors.map(({ reducer, row }) => ({
          name: 'ReducerError',
          code: 'REDUCER_FAILED',
          reducer,
          message: `no ${row.type}`,
          errorType: 'RangeError',
          row,
        }));
        expect(session.events.filter(({ event_type: type }) => type !== 'ReducerFailed').map(rowOf)).toEqual(model.rows);
        expect(session.reducerErrors.map(errorRow)).toEqual(expectedErrors);
        const failed = session.events.filter(({ event_type: type }) => type === 'ReducerFailed').map(rowOf);
        expect(failed.map(({ tool, call }) => ({ tool, call }))).toEqual(model.errors.map(({ row: { tool, call } }) => ({ tool, call })));
        expect(heard).toEqual(session.reducerErrors);
        const inTrace = (type: string): number => trace.filter((event) => event.event_type === type).length;
        for (const type of ['ValidationRetryScheduled', 'ValidationRetryExhausted', 'ValidationRecovered', 'AgentRunStopped'] as const)
          expect(inTrace(type), type).toBe(model.rows.filter((row) => row.type === type).length);
        expect(inTrace('ReducerFailed')).toBe(expectedErrors.length);
        expect(session.metrics.reducer_error_total).toBe(expectedErrors.length);
        const kept = (types: readonly string[]): number => model.rows.filter(({ type }) => !types.includes(type)).length;
        expect([session.slice('cart'), session.slice('log')]).toEqual([kept(cart), kept(log)]);
        expectExported(trace);
        await service.close();
      },
    ),
    propertyRuns(150),
  );
});
