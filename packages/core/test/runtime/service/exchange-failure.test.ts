import { describe, expect, it } from 'vitest';
import { createAlertEngine } from '../../../src/projections/alerts/index.ts';
import { createMetrics } from '../../../src/projections/metrics/index.ts';
import { ToolExecutionService, type TraceEvent, type ExchangeFailure } from '../../../src/index.ts';
import { manualSystem } from '../../../src/testing/index.ts';

const problem = { rule: 'orphan-result', path: 'messages.1', message: "The result 'x' has no call" };

function recorded(...failures: readonly ExchangeFailure[]): readonly TraceEvent[] {
  const events: TraceEvent[] = [];
  const service = new ToolExecutionService({ tools: [], system: manualSystem(), redact: { secrets: ['hunter2-hunter2'] } });
  service.subscribe((event) => void events.push(event));
  for (const failure of failures) service.recordValidationFailure(failure);
  return events;
}

describe('a failed validation', () => {
  it('is an event with its stage, format and problems', () => {
    expect(recorded({ stage: 'request', format: 'openai-chat', problems: [problem] })).toMatchObject([
      { event_type: 'ResponseValidationFailed', stage: 'request', format: 'openai-chat', problems: [problem] },
    ]);
    const two = { stage: 'response', problems: [problem, problem] } as const;
    expect(recorded(two)[0]).toMatchObject({ message: 'A response failed validation: 2 problems' });
    expect(recorded(two)[0]).not.toHaveProperty('format');
  });

  it('is none without problems', () => {
    expect(recorded({ stage: 'response', problems: [] })).toEqual([]);
  });

  it('is bounded and redacted, and keeps nothing else of a problem', () => {
    const long = { ...problem, message: `hunter2-hunter2 ${'x'.repeat(2_000)}`, secret: 'hunter2-hunter2' };
    const [event] = recorded({ stage: 'response', problems: Array.from({ length: 120 }, () => long) });
    expect(event).toMatchObject({ message: 'A response failed validation: 120 problems' });
    const { problems } = event as Extract<TraceEvent, { event_type: 'ResponseValidationFailed' }>;
    expect(problems).toHaveLength(100);
    expect(JSON.stringify(problems)).not.toContain('hunter2');
    expect(problems[0]?.message.length).toBeLessThanOrEqual(500);
  });

  it.each([
    [undefined, 'recordValidationFailure must be an object, got undefined. Known settings: stage, format, problems.'],
    ['bad', "recordValidationFailure must be an object, got 'bad'. Known settings: stage, format, problems."],
    [{ stage: 'answer', problems: [] }, "recordValidationFailure.stage must be one of request, response, got 'answer'."],
    [{ stage: 'response' }, 'recordValidationFailure.problems must be an array of problems, got undefined.'],
    [{ stage: 'response', problem: [] }, "recordValidationFailure has no setting 'problem'. Did you mean 'problems'?"],
    [{ stage: 'response', problems: [null] }, 'recordValidationFailure.problems[0] must be of type object, got null.'],
  ])('that is %j is refused', (failure, message) => {
    expect(() => recorded(failure as never)).toThrow(message);
  });

  it('is counted by stage and alerts at once', () => {
    const events = recorded({ stage: 'request', problems: [problem] }, { stage: 'response', problems: [problem] });
    const metrics = createMetrics();
    const alerts = createAlertEngine();
    for (const event of events) {
      metrics.observe(event);
      alerts.observe(event);
    }
    expect(metrics.samples('holdfast_response_validation_failures_total').map(({ labels, value }) => [labels['stage'], value])).toEqual([
      ['request', 1],
      ['response', 1],
    ]);
    expect(alerts.active()).toMatchObject([
      {
        name: 'ResponseValidationFailed',
        annotations: { description: 'Requests to models and responses that failed validation: 2.' },
        cause: { turnId: events[1]?.turn_id },
      },
    ]);
  });
});
