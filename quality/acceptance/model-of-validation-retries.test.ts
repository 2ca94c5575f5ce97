/** Random answers of a model under random policies: attempts, delays, feedback, logs, metrics and exhaustion are those of a plain program (S2). */
/* oxlint-disable vitest/no-conditional-expect -- the plain program says what is expected */
import { defineTool, ToolExecutionService, type TraceEvent } from '@holdfast/core';
import {
  AgentRun,
  ConstantBackoff,
  ExponentialBackoff,
  LinearBackoff,
  Session,
  type BackoffStrategy,
  type Histogram,
  type RetryFeedback,
} from '@holdfast/core/agent';
import { manualSystem } from '@holdfast/core/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { listLogger } from './support/agent.ts';
import { expectExported } from './support/exported-metrics.ts';
import { propertyRuns } from './support/property-runs.ts';
import { eventsOf } from './support/stage.ts';

interface Backoff {
  readonly kind: 'constant' | 'linear' | 'exponential';
  readonly base: number;
  readonly more: number;
}
interface Layer {
  readonly maxAttempts?: number;
  readonly backoff?: Backoff;
  readonly emitFeedback?: boolean;
}
interface Step {
  readonly action: 'weather' | 'hotels' | 'output';
  readonly valid: boolean;
  /** Whether a tool that gets valid arguments fails for another reason. */
  readonly breaks: boolean;
  /** Which of the wrong arguments. */
  readonly wrong: number;
  /** Whether the framework hands the calls over one by one. */
  readonly alone: boolean;
  readonly call: Layer;
}

/** Arguments that do not fit, as a model writes them, with what it has to be told. */
const wrongArguments: readonly (readonly [unknown, RegExp])[] = [
  [{ city: 7 }, /Parameter 'city': expected string, got number/u],
  [{}, /Required parameter 'city' missing/u],
  [{ town: 'Oslo' }, /Required parameter 'city' missing/u],
  ['{"city":', /not valid JSON/u],
  ['{"city":"Oslo","city":"Rome"}', /name twice/u],
  ['{"city":123456789012345678901}', /too large for a number/u],
  ['Oslo', /not valid JSON/u],
  ['[1]', /expected object, got array/u],
];

const backoffs = fc.record({
  kind: fc.constantFrom('constant' as const, 'linear' as const, 'exponential' as const),
  base: fc.constantFrom(0, 1, 2.5, 61),
  more: fc.constantFrom(0, 1, 2),
});
const layers: fc.Arbitrary<Layer> = fc.record(
  { maxAttempts: fc.integer({ min: 1, max: 4 }), backoff: backoffs, emitFeedback: fc.boolean() },
  { requiredKeys: [] },
);
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    action: fc.constantFrom('weather' as const, 'hotels' as const, 'output' as const),
    valid: fc.constantFrom(false, false, true),
    breaks: fc.boolean(),
    wrong: fc.nat(wrongArguments.length - 1),
    alone: fc.boolean(),
    call: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: layers }),
  }),
  { minLength: 1, maxLength: 14 },
);

const delayOf = ({ kind, base, more }: Backoff, attempt: number): number =>
  kind === 'constant' ? base : kind === 'linear' ? base + more * (attempt - 1) : base * more ** (attempt - 1);
const strategyOf = ({ kind, base, more }: Backoff): BackoffStrategy =>
  kind === 'constant' ? new ConstantBackoff(base) : kind === 'linear' ? new LinearBackoff(base, more) : new ExponentialBackoff(base, more);
const policyOf = ({ backoff, ...rest }: Layer) => ({ ...rest, ...(backoff === undefined ? {} : { backoff: strategyOf(backoff) }) });

/** A bucket holds the values up to its bound, the bound included. */
function expectBuckets({ bounds, counts }: Histogram, values: readonly number[]): void {
  const edges = [...bounds, Number.POSITIVE_INFINITY];
  expect(counts).toEqual(
    edges.map((edge, index) => values.filter((value) => value <= edge && !(value <= (edges[index - 1] ?? -1))).length),
  );
}

const city = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const tools = ['weather', 'hotels'].map((name) =>
  defineTool({
    name,
    input: city,
    run: ({ city: given }: { readonly city: string }) => {
      if (given !== 'Oslo') throw new Error('Invalid airport code: XYZ');
      return 'found';
    },
  }),
);
const tags = [
  'S2-policy',
  'S2-layers',
  'S2-backoff',
  'S2-tool',
  'S2-structured-output',
  'S2-exhaustion',
  'S2-feedback',
  'S2-latest-feedback',
  'S2-metrics',
  'S2-logs',
  'S2-exported-metrics',
];

test('answers of a model, valid and invalid, in any order', { tags }, async () => {
  await fc.assert(
    fc.asyncProperty(layers, layers, steps, async (global, own, answers) => {
      const system = manualSystem();
      const service = new ToolExecutionService({ tools, system, seed: 'model' });
      const events: TraceEvent[] = [];
      service.subscribe((event) => void events.push(event));
      const { logger, entries } = listLogger();
      const session = new Session({ system, correlationId: 'c-1', logger });
      const run = new AgentRun({
        service,
        session,
        maxIdenticalFailures: 100,
        validationRetries: policyOf(global),
        toolValidationRetries: { weather: policyOf(own) },
      });
      const feedback: Partial<RetryFeedback>[] = [];
      const expected = {
        retries: 0,
        exhausted: 0,
        delays: [] as number[],
        attempts: [] as number[],
        logged: [] as (number | undefined)[],
        invoked: [] as object[],
      };
      let streaks: Record<string, number> = {};
      for (const [index, { action, valid, breaks, wrong, alone, call }] of answers.entries()) {
        const isTool = action !== 'output';
        const merged = { maxAttempts: 3, emitFeedback: true, ...global, ...(action === 'weather' ? own : {}), ...(isTool ? call : {}) };
        const began = system.now();
        const [mistake, complaint] = wrongArguments[isTool ? wrong : 0] ?? [];
        const given = valid ? { city: breaks && isTool ? `Nowhere ${index}` : 'Oslo' } : mistake;
        const ask = { callId: `call_${index}`, toolName: action, arguments: given, validationRetries: policyOf(call) };
        const answer = isTool
          ? await system.until(alone ? run.answerOne(ask, {}) : run.answer([ask]).then(([first]) => first))
          : await system.until(run.readOutput(JSON.stringify(given), city));
        const text = answer && 'text' in answer ? answer.text : '';
        if (isTool)
          expected.invoked.push({
            call_id: ask.callId,
            tool_id: action,
            status: valid && !breaks ? 'success' : 'error',
            ...(valid ? { arguments: given } : {}),
            ...(valid && !breaks ? { output: 'found' } : { code: valid ? 'INVALID_INPUT' : 'INVALID_ARGUMENTS' }),
          });
        const took = (system.now() - began) / 1_000;
        if (valid) {
          expect(took).toBe(0);
          if (isTool) expect(answer).toMatchObject({ isError: breaks, text: expect.stringContaining(breaks ? 'XYZ' : 'found') as string });
          if (streaks[action] !== undefined) expected.attempts.push(streaks[action] + 1);
          delete streaks[action];
          continue;
        }
        const attempt = (streaks[action] ?? 0) + 1;
        const isLast = attempt >= merged.maxAttempts;
        if (!isTool)
          expect(answer).toMatchObject({
            ok: false,
            error: { name: 'StructuredOutputError', message: expect.stringContaining('city') as string },
            ...(isLast ? { exhausted: { attempts: attempt, source: 'structured_output', toolName: null } } : {}),
          });
        const delay = isLast || merged.backoff === undefined ? 0 : delayOf(merged.backoff, attempt);
        expect(took).toBeCloseTo(delay, 6);
        const errorType = isTool ? 'ToolValidationError' : 'StructuredOutputError';
        if (merged.emitFeedback) {
          expect(text).toContain(isLast ? 'used up' : `attempt ${attempt} of ${merged.maxAttempts}`);
          const source = isTool ? 'tool' : 'structured_output';
          feedback.push({
            source,
            toolName: isTool ? action : null,
            attempt,
            maxAttempts: merged.maxAttempts,
            errorType,
            nextDelaySeconds: delay,
          });
          if (isTool) expect(session.latestFeedback(action)?.message).toMatch(complaint ?? /^$/u);
          expect(session.latestFeedback()?.retryScheduledAt).toBe(new Date(system.epochMs()).toISOString());
        } else expect(text).not.toContain(`attempt ${attempt} of`);
        expect(text).toMatch(isTool ? (complaint ?? /^$/u) : /city/u);
        expect(text).not.toContain('undefined');
        expected.logged.push(attempt);
        if (isLast) {
          expected.exhausted += 1;
          expected.attempts.push(attempt);
          const last = eventsOf(events, 'ValidationRetryExhausted').at(-1);
          expect(last).toMatchObject({ attempt, max_attempts: merged.maxAttempts, stopped_by: 'attempts' });
          expect(last?.history.map((each) => each.attempt)).toEqual(Array.from({ length: attempt }, (_, at) => at + 1));
          const failed = isTool ? action : 'The structured output';
          expect(last?.message).toMatch(new RegExp(`^${failed} failed validation`, 'u'));
          expect(run.stopped).toMatchObject({ reason: 'validation_exhausted', message: last?.message, error: { attempts: attempt } });
          run.resume();
          streaks = {};
        } else {
          expected.retries += 1;
          expected.delays.push(delay);
          streaks[action] = attempt;
        }
      }
      expect(session.events.filter(({ event_type: type }) => type === 'ToolInvoked')).toMatchObject(expected.invoked);
      expect(session.events.map(({ seq }) => seq)).toEqual(session.events.map((_, index) => index + 1));
      expect(session.feedback).toMatchObject(feedback);
      expect(session.feedback).toHaveLength(feedback.length);
      const { metrics } = session;
      const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
      expect([metrics.validation_retry_total, metrics.validation_exhausted_total]).toEqual([expected.retries, expected.exhausted]);
      expect(metrics.validation_retry_delay_seconds.count).toBe(expected.delays.length);
      expect(metrics.validation_retry_delay_seconds.sum).toBeCloseTo(sum(expected.delays), 6);
      expect(metrics.validation_attempts).toMatchObject({ count: expected.attempts.length, sum: sum(expected.attempts) });
      expectBuckets(metrics.validation_retry_delay_seconds, expected.delays);
      expectBuckets(metrics.validation_attempts, expected.attempts);
      const failures = entries.filter(({ details }) => details['errorType'] !== undefined);
      expect(failures.map(({ details }) => details['attempt'])).toEqual(expected.logged);
      for (const { details } of entries) expect(details['correlationId']).toBe('c-1');
      expectExported(events);
      await service.close();
    }),
    propertyRuns(120),
  );
});
