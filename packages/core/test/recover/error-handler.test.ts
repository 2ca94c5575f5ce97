import { describe, expect, it } from 'vitest';
import type { DecisionInputs } from '../../src/recover/decision.ts';
import type { FailureNotice } from '../../src/recover/error-handler.ts';
import { ErrorHandler, mayTake } from '../../src/recover/error-handler.ts';
import { inputsWith } from '../support/decision-inputs.ts';

const notice = (callId = 'call-1', more: Partial<DecisionInputs> = {}): FailureNotice => {
  const { policies: _policies, evidence: _evidence, ...facts } = inputsWith(more);
  return { turnId: 'turn', callId, toolName: 'search', attempt: 1, code: 'SERVICE_UNAVAILABLE', message: 'down', facts };
};

describe('the Error Handler', () => {
  it('keeps the latest notices, oldest first', () => {
    const handler = new ErrorHandler({ inboxSize: 3 });
    for (let index = 1; index <= 10; index++) handler.handle(notice(`c${index}`));
    expect(handler.inbox.map(({ callId }) => callId)).toEqual(['c8', 'c9', 'c10']);
  });

  it('decides without a memory or rules that throw, and says so', () => {
    const handler = new ErrorHandler({
      policies: [
        { name: 'broken', when: null as never },
        { name: 'worse', when: { tool: 7 as never } },
      ],
      memory: {
        observe: () => undefined,
        recall: () => {
          throw new Error('forgotten');
        },
      },
    });
    const { decision, faults, decidedBy } = handler.handle(notice());
    expect(decision.action).toBe('retry');
    expect(decidedBy).toBe('built_in');
    expect(faults?.map(({ component }) => component)).toEqual(['policy', 'memory']);
  });
});

describe('advice', () => {
  it.each<readonly [string, Parameters<typeof mayTake>[0], Partial<DecisionInputs>, boolean]>([
    ['a retry that is allowed', { action: 'retry', delay_ms: 5, reason: '', guards: [] }, {}, true],
    ['a retry of a permanent failure', { action: 'retry', delay_ms: 5, reason: '', guards: [] }, { classification: 'permanent' }, false],
    ['a retry against an open circuit', { action: 'retry', delay_ms: 5, reason: '', guards: [] }, { circuit_breaker_state: 'open' }, false],
    ['a retry of a probe', { action: 'retry', delay_ms: 5, reason: '', guards: [] }, { probe: true }, false],
    ['one retry too many', { action: 'retry', delay_ms: 5, reason: '', guards: [] }, { attempts: 5 }, false],
    [
      'a retry of what was perhaps done',
      { action: 'retry', delay_ms: 5, reason: '', guards: [] },
      { ambiguous: true, effect: 'unsafe' },
      false,
    ],
    ['a retry at the end of time', { action: 'retry', delay_ms: Number.POSITIVE_INFINITY, reason: '', guards: [] }, {}, false],
    ['a retry past the end of the turn', { action: 'retry', delay_ms: 500, reason: '', guards: [] }, { turn_time_left_ms: 400 }, false],
    ['an alternative that nobody knows', { action: 'use_alternative', alternative: 'nowhere', reason: '', guards: [] }, {}, false],
    ['a default that is not there', { action: 'use_default', reason: '', guards: [] }, {}, false],
    ['a part that is not there', { action: 'accept_partial', reason: '', guards: [] }, {}, false],
    ['giving up', { action: 'escalate', reason: '', guards: [] }, {}, true],
  ])('%s', (_name, advice, more, isTaken) => {
    expect(mayTake(advice, inputsWith(more))).toBe(isTaken);
  });
});
