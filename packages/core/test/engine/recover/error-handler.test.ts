import { describe, expect, it } from 'vitest';
import type { DecisionInputs } from '../../../src/engine/recover/decision.ts';
import type { FailureNotice } from '../../../src/engine/recover/error-handler.ts';
import { decide } from '../../../src/engine/recover/decide.ts';
import { ErrorHandler, mayTake } from '../../../src/engine/recover/error-handler.ts';
import { backup, inputsWith } from '../../support/decision-inputs.ts';

const notice = (callId = 'call-1', more: Partial<DecisionInputs> = {}): FailureNotice => {
  const { recoveryRules: _policies, evidence: _evidence, ...facts } = inputsWith(more);
  return { turnId: 'turn', callId, toolName: 'search', attempt: 1, code: 'SERVICE_UNAVAILABLE', message: 'down', facts };
};

describe('the error handler', () => {
  it('keeps the latest notices, oldest first', () => {
    const handler = new ErrorHandler({ inboxSize: 3 });
    for (let index = 1; index <= 10; index++) handler.handle(notice(`c${index}`));
    expect(handler.inbox.map(({ callId }) => callId)).toEqual(['c8', 'c9', 'c10']);
  });

  it('decides without a memory that throws, and reports it', () => {
    const handler = new ErrorHandler({
      memory: {
        recall: () => {
          throw new Error('forgotten');
        },
      },
    });
    const { decision, faults, decidedBy } = handler.handle(notice());
    expect(decision.action).toBe('retry');
    expect(decidedBy).toBe('built_in');
    expect(faults?.map(({ component }) => component)).toEqual(['memory']);
  });
});

describe('subscriptions', () => {
  it('get every notice with the built-in decision until they end, and change nothing', () => {
    const handler = new ErrorHandler();
    const heard: string[] = [];
    const end = handler.subscribe((notice, { decision, decidedBy }) => {
      heard.push(`${notice.callId} ${decision.action} ${decidedBy}`);
      (decision as { action: string }).action = 'fail';
    });
    expect(handler.handle(notice('a')).decision.action).toBe('retry');
    handler.handle(notice('b', { classification: 'permanent' }));
    expect(handler.handle(notice('c', { classification: 'permanent' })).decision.action).toBe('escalate');
    end();
    handler.handle(notice('d'));
    expect(heard).toEqual(['a retry built_in', 'b escalate built_in', 'c escalate built_in']);
  });

  it('one that throws is removed and reported; the others go on', () => {
    const handler = new ErrorHandler();
    const heard: string[] = [];
    handler.subscribe(() => {
      throw new Error('broken');
    });
    handler.subscribe(({ callId }) => heard.push(callId));
    expect(handler.handle(notice('a')).faults).toMatchObject([{ component: 'listener', error: { message: 'broken' } }]);
    expect(handler.handle(notice('b')).faults).toBeUndefined();
    expect(heard).toEqual(['a', 'b']);
  });

  it('of something else than a function are refused', () => {
    expect(() => new ErrorHandler().subscribe('x' as never)).toThrow('subscribe: listener must be of type function');
  });
});

describe('a repeated failure reuses the last decision, any other is decided again', () => {
  const alternative = (toolName: string): DecisionInputs['alternatives'][number] => ({ ...backup, toolName });
  const base: Partial<DecisionInputs> = { effect: 'unsafe', turnTimeLeftMs: 9_000, retryBudgetLeft: 5, turnRetriesLeft: 5 };
  const permanent: Partial<DecisionInputs> = { ...base, classification: 'permanent', failure: 'timeout' };

  it.each<readonly [string, Partial<DecisionInputs>, Partial<DecisionInputs>]>([
    ['nextDelayMs', base, { nextDelayMs: 300 }],
    ['classification', base, { classification: 'permanent' }],
    ['failure', base, { failure: 'timeout' }],
    ['ambiguous', base, { ambiguous: true }],
    ['effect', base, { effect: 'read' }],
    ['circuit', base, { circuit: 'open' }],
    ['probe', base, { probe: true }],
    ['attempts', base, { attempts: 5 }],
    ['maxAttempts', base, { maxAttempts: 1 }],
    ['retryElapsedMs', base, { retryElapsedMs: 1_950 }],
    ['maxTotalTimeMs', base, { maxTotalTimeMs: 50 }],
    ['turnTimeLeftMs', base, { turnTimeLeftMs: 50 }],
    ['retryBudgetLeft', base, { retryBudgetLeft: 0 }],
    ['turnRetriesLeft', base, { turnRetriesLeft: 0 }],
    ['partialAvailable', { ...permanent, acceptPartial: true }, { partialAvailable: true }],
    ['accept_partial', { ...permanent, partialAvailable: true }, { acceptPartial: true }],
    ['fallbackAvailable', permanent, { fallbackAvailable: true }],
    ['optional', permanent, { optional: true }],
    ['the alternatives', { ...permanent, alternatives: [alternative('backup')] }, { alternatives: [alternative('archive')] }],
    ['whether there are alternatives', permanent, { alternatives: [alternative('backup')] }],
    ['the rules that apply', { ...base, category: 'timeout' }, { category: 'contract' }],
    ['whether rules apply', base, { category: 'contract' }],
    ['the evidence', { ...base, rule: 'hopeless' }, { rule: 'hopeful' }],
    ['whether there is evidence', base, { rule: 'hopeless' }],
  ])('by %s', (_name, one, change) => {
    const handler = new ErrorHandler({
      recoveryRules: [
        { name: 'late', when: { category: ['timeout'] }, deny: ['use_default'] },
        { name: 'broken', when: { category: ['contract'] }, deny: ['retry'] },
      ],
      memory: {
        recall: ({ rule }) => (rule.startsWith('hope') ? [{ strategy: 'retry', tried: 20, succeeded: rule === 'hopeless' ? 0 : 20 }] : []),
      },
    });
    const [first, second, third] = [one, { ...one, ...change }, one].map((facts) => handler.handle(notice('call-1', facts)));
    expect(first?.decision).toEqual(decide(first?.inputs ?? inputsWith()));
    expect(second?.decision).toEqual(decide(second?.inputs ?? inputsWith()));
    expect(second?.decision).not.toEqual(first?.decision);
    expect(third?.decision).toEqual(first?.decision);
    expect(first).not.toHaveProperty('faults');
  });
});

/** Another value for each input; a new input does not compile until it is added here. */
const others: Required<Omit<DecisionInputs, 'recoveryRules' | 'evidence'>> = {
  turnId: 'another turn',
  toolName: 'archive',
  classification: 'neutral',
  category: 'auth',
  rule: 'status:507',
  failure: 'refused',
  ambiguous: true,
  effect: 'idempotent',
  assumedEffect: 'unsafe',
  unknownFailures: 1,
  circuit: 'half_open',
  probe: true,
  attempts: 3,
  maxAttempts: 2,
  probes: 2,
  retryCount: 3,
  nextDelayMs: 700,
  retryAfterMs: 50,
  retryElapsedMs: 900,
  maxTotalTimeMs: 500,
  mayWaitMs: 5_000,
  heldMs: 40,
  turnTimeLeftMs: 30,
  retryBudgetLeft: 0,
  turnRetriesLeft: 0,
  alternatives: [backup],
  partialAvailable: true,
  acceptPartial: true,
  fallbackAvailable: true,
  optional: true,
};

it.each(Object.keys(others) as (keyof typeof others)[])('a failure with another %s is decided like a first one', (field) => {
  const bases: readonly Partial<DecisionInputs>[] = [
    { classification: 'permanent' },
    { classification: 'permanent', partialAvailable: true },
    { classification: 'permanent', acceptPartial: true },
    { maxAttempts: 1, effect: 'unsafe' },
    { ambiguous: true },
    { effect: 'read' },
    { circuit: 'open', mayWaitMs: 0, heldMs: 10 },
    { turnTimeLeftMs: 10 },
  ];
  for (const base of bases) {
    const handler = new ErrorHandler();
    handler.handle(notice('call-1', base));
    const { inputs, decision } = handler.handle(notice('call-2', { ...base, [field]: others[field] }));
    expect(decision).toEqual(decide(inputs));
  }
});

const away = { toolName: 'archive', circuit: 'open', available: false } as const;

describe('advice', () => {
  it.each<readonly [string, Parameters<typeof mayTake>[0], Partial<DecisionInputs>, boolean]>([
    ['a retry that is allowed', { action: 'retry', delayMs: 5, reason: '', guards: [] }, {}, true],
    ['a retry of a permanent failure', { action: 'retry', delayMs: 5, reason: '', guards: [] }, { classification: 'permanent' }, false],
    ['a retry against an open circuit', { action: 'retry', delayMs: 5, reason: '', guards: [] }, { circuit: 'open' }, false],
    ['a retry of a probe', { action: 'retry', delayMs: 5, reason: '', guards: [] }, { probe: true }, false],
    ['a retry over the limit', { action: 'retry', delayMs: 5, reason: '', guards: [] }, { attempts: 5 }, false],
    [
      'a retry of an ambiguous failure',
      { action: 'retry', delayMs: 5, reason: '', guards: [] },
      { ambiguous: true, effect: 'unsafe' },
      false,
    ],
    ['a retry at the end of the time', { action: 'retry', delayMs: Number.POSITIVE_INFINITY, reason: '', guards: [] }, {}, false],
    ['a retry past the end of the turn', { action: 'retry', delayMs: 500, reason: '', guards: [] }, { turnTimeLeftMs: 400 }, false],
    ['an unknown alternative', { action: 'use_alternative', alternative: 'nowhere', reason: '', guards: [] }, {}, false],
    ['a missing default', { action: 'use_default', reason: '', guards: [] }, {}, false],
    ['a missing partial output', { action: 'accept_partial', reason: '', guards: [] }, {}, false],
    ['an unknown action', { action: 'pray' as never, reason: '', guards: [] }, {}, false],
    [
      'an available alternative',
      { action: 'use_alternative', alternative: 'backup', reason: '', guards: [] },
      { alternatives: [away, backup] },
      true,
    ],
    [
      'an alternative that cannot be used now',
      { action: 'use_alternative', alternative: 'archive', reason: '', guards: [] },
      { alternatives: [away, backup] },
      false,
    ],
    [
      'an alternative after an ambiguous failure',
      { action: 'use_alternative', alternative: 'backup', reason: '', guards: [] },
      { alternatives: [backup], ambiguous: true, effect: 'unsafe' },
      false,
    ],
    [
      'an alternative that a rule denies',
      { action: 'use_alternative', alternative: 'backup', reason: '', guards: [] },
      { alternatives: [backup], recoveryRules: [{ rule: 'r', effect: 'deny', strategy: 'use_alternative' }] },
      false,
    ],
    ['an existing default', { action: 'use_default', reason: '', guards: [] }, { fallbackAvailable: true }, true],
    [
      'a default that a rule denies',
      { action: 'use_default', reason: '', guards: [] },
      { fallbackAvailable: true, recoveryRules: [{ rule: 'r', effect: 'deny', strategy: 'use_default' }] },
      false,
    ],
    ['an existing partial output', { action: 'accept_partial', reason: '', guards: [] }, { partialAvailable: true }, true],
    [
      'a partial output that a rule denies',
      { action: 'accept_partial', reason: '', guards: [] },
      { partialAvailable: true, recoveryRules: [{ rule: 'r', effect: 'deny', strategy: 'accept_partial' }] },
      false,
    ],
    [
      'a retry if a rule prefers another strategy',
      { action: 'retry', delayMs: 5, reason: '', guards: [] },
      { fallbackAvailable: true, recoveryRules: [{ rule: 'r', effect: 'prefer', strategy: 'use_default' }] },
      true,
    ],
    [
      'a retry that a rule denies',
      { action: 'retry', delayMs: 5, reason: '', guards: [] },
      { recoveryRules: [{ rule: 'r', effect: 'deny', strategy: 'retry' }] },
      false,
    ],
    [
      'a retry if there is partial output',
      { action: 'retry', delayMs: 5, reason: '', guards: [] },
      { failure: 'timeout', partialAvailable: true, acceptPartial: true },
      true,
    ],
    [
      'a retry although retries have not helped',
      { action: 'retry', delayMs: 5, reason: '', guards: [] },
      { evidence: [{ strategy: 'retry', tried: 20, succeeded: 0 }] },
      true,
    ],
    ['giving up', { action: 'escalate', reason: '', guards: [] }, {}, true],
  ])('%s', (_name, advice, more, isTaken) => {
    expect(mayTake(advice, inputsWith(more))).toBe(isTaken);
  });
});
