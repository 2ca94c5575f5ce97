import type { SessionEvent } from '@holdfast/core/agent';
import { ConstantBackoff, foldSession, LinearBackoff, Session } from '@holdfast/core/agent';
import { manualSystem } from '@holdfast/core/testing';
import { describe, expect, test } from 'vitest';
import { agentStage, listLogger, right, wrong } from './support/agent.ts';
import { scriptedTool, succeeds } from './support/scripted-tool.ts';

/** A slice whose reducer throws at one type of event. */
const closedAt = (
  type: SessionEvent['event_type'],
): { readonly initial: number; readonly reduce: (state: number, event: SessionEvent) => number } => ({
  initial: 0,
  reduce(state, event) {
    if (event.event_type === type) throw new RangeError('the cart is closed');
    return state;
  },
});

describe('session', () => {
  test('feedback has the shape of the source, and can be queried', { tags: ['S2-feedback'] }, async () => {
    const { answer, session, system } = agentStage({ validationRetries: { backoff: new ConstantBackoff(2) } });
    const at = system.epochMs();
    await answer(wrong);
    expect(session.latestFeedback()).toEqual({
      source: 'tool',
      toolName: 'weather',
      attempt: 1,
      maxAttempts: 3,
      errorType: 'ToolValidationError',
      message: `Parameter 'unit': must be one of "c", "f"`,
      retryScheduledAt: new Date(at + 2_000).toISOString(),
      nextDelaySeconds: 2,
    });
    expect(session.latestFeedback('other')).toBeUndefined();
    expect(session.state.feedback).toBe(session.feedback);
    // The failure that uses the attempts up is feedback too, without a next attempt.
    await answer(wrong);
    await answer(wrong);
    expect(session.feedback.map(({ attempt, nextDelaySeconds }) => [attempt, nextDelaySeconds])).toEqual([
      [1, 2],
      [2, 2],
      [3, 0],
    ]);
  });

  test('reducers have run when the answer is returned, and their state comes only from events', { tags: ['S2-reducers'] }, async () => {
    const slices = {
      degrees: {
        initial: [] as readonly number[],
        reduce: (state: readonly number[], event: SessionEvent): readonly number[] =>
          event.event_type === 'ToolInvoked' && event.status === 'success'
            ? [...state, (event.output as { degrees: number }).degrees]
            : state,
      },
    };
    const { answer, session } = agentStage({ session: { slices } });
    await answer(right);
    await answer(wrong);
    const own = session as unknown as Session<typeof slices>;
    expect(own.slice('degrees')).toEqual([21]);
    expect(foldSession(session.events, slices)).toEqual(own.state);
    expect(Session.restore(JSON.parse(JSON.stringify(session.save())) as ReturnType<Session['save']>, { slices }).state).toEqual(own.state);
  });

  test(
    'a reducer that throws at a success: recorded in its slice, passed to the callback, reported to the model; the next action has all its attempts',
    { tags: ['S2-reducer-error'] },
    async () => {
      const heard: unknown[] = [];
      const { answer, session, run, of } = agentStage({
        session: { onReducerError: (error) => void heard.push(error), slices: { cart: closedAt('ToolInvoked') } },
      });
      const { text, answer: first } = await answer(right);
      expect(text).toContain("It could not be applied to 'cart': the cart is closed");
      expect(text).toContain("Do not repeat the call of weather; first deal with the failure of 'cart'.");
      expect(first.isError).toBe(false);
      expect(session.reducerErrors).toMatchObject([
        { name: 'ReducerError', reducer: 'cart', errorType: 'RangeError', payload: { event_type: 'ToolInvoked', tool_id: 'weather' } },
      ]);
      expect(heard).toEqual(session.reducerErrors);
      expect(of('ReducerFailed')).toMatchObject([{ reducer: 'cart', call_id: 'call_1' }]);

      const { answer: second } = await answer(wrong);
      expect(second.exhausted).toBeUndefined();
      expect(run.stopped).toBeUndefined();
    },
  );

  test('a reducer that throws at an invalid call halts the retries of that action alone', { tags: ['S2-reducer-error'] }, async () => {
    const { answer, run } = agentStage({
      onExhausted: 'close_tool',
      session: { slices: { cart: closedAt('ValidationRetryScheduled') } },
    });
    const { text } = await answer(wrong);
    expect(text).toContain("Do not repeat the call of weather; first deal with the failure of 'cart'.");
    const { answer: second } = await answer(wrong);
    expect(second.exhausted).toMatchObject({ stoppedBy: 'reducer_error', attempts: 2 });
    expect(run.stopped).toBeUndefined();
  });

  test('if the policy allows it, a failed reducer is retryable feedback', { tags: ['S2-reducer-error'] }, async () => {
    const { answer } = agentStage({
      validationRetries: { retryableErrors: ['ToolValidationError', 'ReducerError'] },
      session: {
        slices: {
          cart: {
            initial: 0,
            reduce: (): number => {
              throw new Error('closed');
            },
          },
        },
      },
    });
    await answer(right);
    const { text, answer: second } = await answer(wrong);
    expect(second.exhausted).toBeUndefined();
    expect(text).toContain('attempt 1 of 3');
    expect(text).toContain('closed');
    // The reducer has failed at this action; its attempts go on all the same.
    const third = await answer(wrong);
    expect(third.answer.exhausted).toBeUndefined();
    expect(third.text).toContain('attempt 2 of 3');
  });

  test('every log entry has the correlation id; retries are logged with type, attempt and delay', { tags: ['S2-logs'] }, async () => {
    const { logger, entries } = listLogger();
    const { answer } = agentStage({ session: { logger }, validationRetries: { backoff: new LinearBackoff(1, 1), maxAttempts: 2 } });
    await answer(wrong);
    await answer(wrong);
    expect(entries.map(({ level }) => level)).toEqual(['warn', 'error', 'error']);
    expect(entries[0]?.details).toMatchObject({ errorType: 'ToolValidationError', attempt: 1, delaySeconds: 1, toolName: 'weather' });
    for (const { details } of entries) expect(details).toMatchObject({ correlationId: 'correlation-1' });
  });

  test('counters and histograms', { tags: ['S2-metrics'] }, async () => {
    const { answer, session } = agentStage({ validationRetries: { backoff: new ConstantBackoff(3) } });
    await answer(wrong);
    await answer(wrong);
    await answer(right);
    const { metrics } = session;
    expect(metrics).toMatchObject({ validation_retry_total: 2, reducer_error_total: 0 });
    expect(metrics.validation_retry_delay_seconds).toMatchObject({ count: 2, sum: 6 });
    expect(metrics.validation_attempts).toMatchObject({ count: 1, sum: 3 });
    const bucket = metrics.validation_retry_delay_seconds.bounds.indexOf(5);
    expect(metrics.validation_retry_delay_seconds.counts[bucket]).toBe(2);
  });
});

describe('open questions', () => {
  test('the next decision sees a changed policy', { tags: ['S2-question-adjust'] }, async () => {
    const { answer, run } = agentStage();
    expect((await answer(wrong)).text).toContain('1 of 3');
    run.setRetryPolicy({ maxAttempts: 9 }, 'weather');
    expect((await answer(wrong)).text).toContain('2 of 9');
    run.setRetryPolicy(undefined, 'weather');
    run.setRetryPolicy({ maxAttempts: 3 });
    expect((await answer(wrong)).answer.exhausted?.attempts).toBe(3);
  });

  test('a planner opts out, or sets a time budget', { tags: ['S2-question-opt-out'] }, async () => {
    const out = agentStage();
    expect((await out.answer(wrong, { validationRetries: { maxAttempts: 1 } })).answer.exhausted?.attempts).toBe(1);

    const budget = agentStage({ validationRetries: { maxAttempts: 10, timeBudgetSeconds: 5, backoff: new ConstantBackoff(2) } });
    const attempts = [];
    for (const _ of [1, 2, 3]) attempts.push((await budget.answer(wrong)).answer);
    expect(attempts.map(({ exhausted }) => exhausted?.stoppedBy)).toEqual([undefined, undefined, 'time_budget']);
  });

  test('the partial output of a tool is in the answer', { tags: ['S2-question-progress'] }, async () => {
    const tool = scriptedTool(manualSystem(), 'report', [{ does: 'hang', partial: { pages: 2 } }, succeeds()], {
      timeoutMs: 50,
      acceptPartial: true,
    });
    const staged = agentStage({ tools: [tool.tool] });
    const { answer } = await staged.answer({}, { toolName: 'report' });
    expect(answer.result).toMatchObject({ status: 'success', partial: true, output: { pages: 2 } });
    expect(answer.text).toContain('partial output');
  });
});
