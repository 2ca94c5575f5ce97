import { describe, expect, it } from 'vitest';
import type { MatchedRule } from '../../../src/engine/recover/decision.ts';
import type { RecoveryRule } from '../../../src/engine/recover/recovery-rules.ts';
import { matchRules, readRecoveryRules } from '../../../src/engine/recover/recovery-rules.ts';
import { ErrorHandler } from '../../../src/engine/recover/error-handler.ts';
import { defineTool, ToolExecutionService } from '../../../src/index.ts';
import { manualSystem } from '../../../src/testing/index.ts';
import { unreadableRules } from '../../never-throws/hostile-options.ts';
import { inputsWith } from '../../support/decision-inputs.ts';

const matched = (rule: Partial<RecoveryRule>, facts: Parameters<typeof inputsWith>[0] = {}): readonly MatchedRule[] =>
  matchRules(readRecoveryRules([{ name: 'rule', ...rule }], 'rules'), inputsWith(facts));

describe('a rule', () => {
  it('takes a strategy or a list of them, as the manifest does', () => {
    expect(matched({ deny: 'retry' })).toEqual([{ rule: 'rule', effect: 'deny', strategy: 'retry' }]);
    expect(matched({ deny: ['retry'] })).toEqual(matched({ deny: 'retry' }));
    expect(matched({ allow: 'use_default', deny: ['retry', 'use_alternative'], prefer: 'use_default', reason: 'once' })).toEqual([
      { rule: 'rule', effect: 'allow', strategy: 'use_default', reason: 'once' },
      { rule: 'rule', effect: 'deny', strategy: 'retry', reason: 'once' },
      { rule: 'rule', effect: 'deny', strategy: 'use_alternative', reason: 'once' },
      { rule: 'rule', effect: 'prefer', strategy: 'use_default', reason: 'once' },
    ]);
  });

  it.each<readonly [string, readonly string[], readonly string[]]>([
    ['tool', ['book'], ['rebook', 'book_hotel', 'Book', 'boo', '']],
    ['turn', ['nightly'], ['nightly-2', 'night', '']],
  ])('compares the %s exactly', (field, same, others) => {
    const fact = field === 'tool' ? 'toolName' : 'turnId';
    for (const given of [same[0], same, [...same, 'another']]) {
      const rule = { when: { [field]: given }, deny: 'retry' as const };
      for (const name of same) expect(matched(rule, { [fact]: name })).toHaveLength(1);
      for (const name of others) expect(matched(rule, { [fact]: name })).toHaveLength(0);
    }
  });

  it('applies where every field has one of its values', () => {
    const rule: Partial<RecoveryRule> = {
      when: { category: ['timeout', 'network'], classification: 'transient', effect: 'unsafe' },
      deny: 'retry',
    };
    expect(matched(rule, { category: 'network', classification: 'transient', effect: 'unsafe' })).toHaveLength(1);
    expect(matched(rule, { category: 'auth', classification: 'transient', effect: 'unsafe' })).toHaveLength(0);
    expect(matched(rule, { category: 'network', classification: 'permanent', effect: 'unsafe' })).toHaveLength(0);
    expect(matched(rule, { category: 'network', classification: 'transient', effect: 'read' })).toHaveLength(0);
    expect(matched({ when: {}, deny: 'retry' })).toHaveLength(1);
    expect(matched({ when: { tool: undefined }, deny: 'retry', prefer: undefined })).toHaveLength(1);
  });

  it('is copied: later changes have no effect', () => {
    const tool = ['search'];
    const given = { name: 'rule', when: { tool }, deny: ['retry' as const] };
    const read = readRecoveryRules([given], 'rules');
    tool[0] = 'other';
    given.deny.length = 0;
    expect(matchRules(read, inputsWith({ toolName: 'search' }))).toHaveLength(1);
    expect([read, read[0], read[0]?.when, read[0]?.when?.tool, read[0]?.deny].every(Object.isFrozen)).toBe(true);
  });
});

describe('a rule that cannot be read', () => {
  const deny = 'retry';
  const strategies = 'one of retry, use_alternative, use_default, accept_partial';
  const names = 'the exact name of a tool (there are no patterns: list the names)';
  it.each<readonly [unknown, string]>([
    [null, ' must be an object, got null.'],
    ['deny retry', " must be an object, got 'deny retry'."],
    [[], ' must be an object, got an array.'],
    [Promise.resolve(), ' must be an object, got a promise.'],
    [{ deny }, '.name must be a non-empty string, got undefined.'],
    [{ name: '', deny }, ".name must be a non-empty string, got ''."],
    [{ name: 'r', allow: 'retry', deny: ['use_default', 'retry'] }, " allows and denies 'retry'."],
    [{ name: 'r' }, " has no 'allow', 'deny' or 'prefer', so it would have no effect. Add one of them."],
    [{ name: 'r', denny: 'retry' }, " has no setting 'denny'. Did you mean 'deny'?"],
    [{ name: 'r', forbid: 'retry' }, " has no setting 'forbid'. Did you mean 'deny'?"],
    [{ name: 'r', deny: 'retries' }, `.deny must be ${strategies} (did you mean 'retry'?), got 'retries'.`],
    [{ name: 'r', deny: ['retry', 'escalate'] }, `.deny[1] must be ${strategies}, got 'escalate'.`],
    [{ name: 'r', deny: [] }, '.deny must be a value or a list of at least one: an empty list would never apply, got an array.'],
    [{ name: 'r', deny: null }, `.deny must be ${strategies}, got null.`],
    [{ name: 'r', deny: true }, `.deny must be ${strategies}, got true.`],
    [{ name: 'r', allow: { retry: true } }, `.allow must be ${strategies}, got an object.`],
    [{ name: 'r', prefer: ['retry'] }, `.prefer must be ${strategies}, got an array.`],
    [{ name: 'r', prefer: 'alternative' }, `.prefer must be ${strategies} (did you mean 'use_alternative'?), got 'alternative'.`],
    [{ name: 'r', deny, reason: 7 }, '.reason must be of type string, got 7.'],
    [{ name: 'r', deny, when: null }, '.when must be an object, got null.'],
    [{ name: 'r', deny, when: [] }, '.when must be an object, got an array.'],
    [{ name: 'r', deny, when: new Map([['tool', 'pay']]) }, '.when must be an object, got a collection.'],
    [{ name: 'r', deny, when: { tools: ['pay'] } }, ".when has no setting 'tools'. Did you mean 'tool'?"],
    [{ name: 'r', deny, when: { tool: 7 } }, `.when.tool must be ${names}, got 7.`],
    [{ name: 'r', deny, when: { tool: /pay/u } }, `.when.tool must be ${names}, got an object.`],
    [{ name: 'r', deny, when: { tool: 'pay_*' } }, `.when.tool must be ${names}, got 'pay_*'.`],
    [{ name: 'r', deny, when: { tool: ['pay', ''] } }, `.when.tool[1] must be ${names}, got ''.`],
    [{ name: 'r', deny, when: { tool: [] } }, '.when.tool must be a value or a list of at least one'],
    [
      { name: 'r', deny, when: { effect: 'unsave' } },
      ".when.effect must be one of read, idempotent, unsafe (did you mean 'unsafe'?), got 'unsave'.",
    ],
    [{ name: 'r', deny, when: { category: ['timeout', 'time-out!'] } }, '.when.category[1] must be one of network, timeout,'],
    [{ name: 'r', deny, when: { classification: 'transitory' } }, '.when.classification must be one of transient, permanent, neutral'],
  ])('%j is refused with its place, and the service with it', (rule, complaint) => {
    const never = { name: 'never twice', deny: 'retry' as const };
    const place = 'recoveryRules[1]';
    expect(() => new ErrorHandler({ recoveryRules: [never, rule] as never })).toThrow(`ErrorHandler.${place}${complaint}`);
    const tools = [defineTool({ name: 'pay', run: () => 1 })];
    expect(() => new ToolExecutionService({ tools, recoveryRules: [never, rule] as never })).toThrow(
      `ToolExecutionService.${place}${complaint}`,
    );
  });

  it.each(Object.entries(unreadableRules))('that %s refuses the service', (_name, rules) => {
    expect(() => new ToolExecutionService({ tools: [], recoveryRules: rules() })).toThrow('ToolExecutionService.recoveryRules[0]');
  });

  it.each([{}, null, 'retry', new Set()])('a list of rules that is %o is refused', (recoveryRules) => {
    const complaint = 'ToolExecutionService.recoveryRules must be an array of rules, got';
    expect(() => new ToolExecutionService({ tools: [], recoveryRules: recoveryRules as never })).toThrow(complaint);
  });
});

describe('a rule of a service', () => {
  const tools = [defineTool({ name: 'book', run: () => Promise.reject(new Error('down')) }), defineTool({ name: 'rebook', run: () => 1 })];

  it('names tools that exist', () => {
    const rule = (tool: string): unknown =>
      new ToolExecutionService({ system: manualSystem(), tools, recoveryRules: [{ name: 'r', when: { tool }, deny: 'retry' }] });
    expect(() => rule('book')).not.toThrow();
    expect(() => rule('boook')).toThrow(
      new RangeError("ToolExecutionService.recoveryRules[0].when.tool names 'boook', but there is no such tool. Did you mean 'book'?"),
    );
  });

  it('that denies retries is followed in every notation', async () => {
    for (const deny of ['retry', ['retry']] as const) {
      const system = manualSystem();
      const service = new ToolExecutionService({ system, tools, recoveryRules: [{ name: 'never twice', when: { tool: 'book' }, deny }] });
      const result = await system.until(service.executeTool({ toolName: 'book' }));
      expect(result).toMatchObject({ attempts: 1, error: { stoppedBy: 'policy' } });
    }
  });

  it('is recorded complete, also with many others', async () => {
    const recoveryRules = Array.from({ length: 150 }, (_, index): RecoveryRule => ({
      name: `rule ${index}`,
      when: { turn: Array.from({ length: 120 }, (_turn, turn) => `turn-${turn}`) },
      deny: 'retry',
      reason: 'key sk-proj-abcdefghijklmnopqrstuvwxyz0123',
    }));
    const service = new ToolExecutionService({ system: manualSystem(), tools, recoveryRules });
    const { trace } = await service.executeTurn({ calls: [{ toolName: 'rebook' }] });
    const recorded = trace.find((event) => event.event_type === 'TurnStarted')?.recovery_rules ?? [];
    expect(recorded).toHaveLength(150);
    expect(recorded[149]).toEqual({ ...recoveryRules[149], deny: ['retry'], reason: 'key [redacted]' });
  });
});
