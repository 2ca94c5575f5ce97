import { describe, expect, it } from 'vitest';
import type { Rule } from '../../../src/engine/settings/check.ts';
import { checkRule } from '../../../src/engine/settings/check.ts';
import { copyPolicy } from '../../../src/engine/settings/copy-policy.ts';
import { checkRate } from '../../../src/engine/settings/fields.ts';
import { resolveSettings } from '../../../src/engine/settings/resolve.ts';
import { profiles } from '../../../src/engine/settings/profiles.ts';
import type { CallPolicy, ToolPolicy } from '../../../src/engine/settings/settings.ts';
import { checkCallPolicy, checkToolPolicy, checkTurnSettings } from '../../../src/engine/settings/validate.ts';

const refusal = (check: () => void): unknown => {
  try {
    check();
  } catch (error) {
    return error;
  }
  return undefined;
};

describe('an error message', () => {
  it.each<readonly [Rule, unknown, string, string]>([
    [['a share', 0, 1], 2, 'RangeError', 'It must be a share, got 2.'],
    [['a share', 0, 1], '1', 'TypeError', "It must be a share, got '1'."],
    [['on', 'off'], 'of', 'RangeError', "It must be one of on, off, got 'of'."],
    [['on', 'off'], 7, 'TypeError', 'It must be one of on, off, got 7.'],
    ['string', 7, 'TypeError', 'It must be of type string, got 7.'],
    ['object', null, 'TypeError', 'It must be of type object, got null.'],
    ['function', {}, 'TypeError', 'It must be of type function, got an object.'],
    [{ on: 'string' }, { of: '' }, 'TypeError', "It has no setting 'of'. Known: on."],
  ])('for %j of %j names the kind of mistake', (rule, value, name, message) => {
    expect(refusal(() => checkRule(rule, value, 'It'))).toMatchObject({ name, message });
  });

  it.each<readonly [Rule, unknown]>([
    ['string', ''],
    ['object', {}],
    ['function', () => undefined],
    [['a share', 0, 1], 1],
    [['on', 'off'], 'off'],
  ])('is absent for %j of %j', (rule, value) => {
    expect(() => checkRule(rule, value, 'It')).not.toThrow();
  });
});

describe('the rate detector', () => {
  const rate = { windowMs: 1_000, minimumCalls: 10, failureRate: 0.5 };

  it.each(Object.keys(rate))('requires its %s', (name) => {
    expect(() => checkRate({ ...rate, [name]: undefined }, 'rate')).toThrow(`rate.${name} must be`);
  });

  it('needs `slowCallMs` only where slow calls count', () => {
    expect(() => checkRate(rate, 'rate')).not.toThrow();
    expect(() => checkRate({ ...rate, slowCallMs: 100 }, 'rate')).not.toThrow();
    expect(() => checkRate({ ...rate, slowCallRate: 0.5 }, 'rate')).toThrow('rate.slowCallMs must be');
    expect(() => checkRate({ ...rate, slowCallRate: 0.5, slowCallMs: 100 }, 'rate')).not.toThrow();
  });

  it.each([null, 7])('must be an object, not %j', (value) => {
    expect(() => checkRate(value, 'rate')).toThrow(`rate must be an object, got ${String(value)}.`);
  });
});

describe('a tool', () => {
  const check = (policy: object) => (): void => checkToolPolicy(policy as ToolPolicy, 'Tool');

  it.each([['a', 7], ['']])('requires tool names as alternatives, not %j', (...names) => {
    expect(check({ alternatives: names })).toThrow('Tool.alternatives must be an array of tool names, got an array.');
  });

  it.each([null, {}])('has no valid fallback in %j', (fallback) => {
    expect(check({ fallback })).toThrow('Tool.fallback must be an object { value }');
  });

  it('may have undefined as its fallback, and hedge after its own 95th percentile', () => {
    expect(check({ fallback: { value: undefined }, alternatives: ['a', 'b'], hedge: { afterMs: 'p95' } })).not.toThrow();
    expect(check({ hedge: { afterMs: 'p50' } })).toThrow(
      "Tool.hedge.afterMs must be a number of milliseconds above 0, or 'p95', got 'p50'.",
    );
    expect(check({ hedge: { afterMs: 0 } })).toThrow('Tool.hedge.afterMs must be a number of milliseconds above 0, got 0.');
  });

  it('is reported without a suggestion when no known name is similar', () => {
    expect(check({ breaker: { colour: 1 } })).toThrow("Tool.breaker has no setting 'colour'. Known: count, failureThreshold,");
  });
});

describe('a call', () => {
  it.each(['breaker', 'concurrency', 'rateLimit', 'retryBudget'])('cannot set %s, which belongs to the shared tool', (name) => {
    expect(() => checkCallPolicy({ [name]: false }, 'Call')).toThrow(
      `Call cannot set '${name}': all calls of a tool share it. Set it on the tool.`,
    );
  });

  it('is otherwise checked like a tool', () => {
    expect(() => checkCallPolicy({ timeoutMs: 5, retry: { maxAttempts: 1 } }, 'Call')).not.toThrow();
    expect(() => checkCallPolicy({ timeoutMs: 0 }, 'Call')).toThrow('Call.timeoutMs must be a number of milliseconds above 0, got 0.');
  });

  it('keeps its settings if the caller changes the object later', () => {
    const retry = { maxAttempts: 2 };
    const alternatives = ['a'];
    const policy: CallPolicy = { retry, alternatives, acceptPartial: true, timeoutMs: 5 };
    const copy = copyPolicy(policy);
    retry.maxAttempts = 9;
    alternatives.push('b');
    expect(copy).toEqual({ retry: { maxAttempts: 2 }, alternatives: ['a'], acceptPartial: true, timeoutMs: 5 });
  });

  it('keeps invalid settings, so that the check finds them', () => {
    expect(copyPolicy({ retry: null } as never)).toEqual({ retry: null });
    expect(resolveSettings(profiles.spec.tool, { retry: null } as never).retry).toBeNull();
  });
});

it('a turn without a time or retry limit must say null', () => {
  expect(() => checkTurnSettings({ timeoutMs: null, maxRetries: null }, 'Turn')).not.toThrow();
  expect(() => checkTurnSettings({ maxRetries: '3' as never }, 'Turn')).toThrow(
    "Turn.maxRetries must be a whole number, 0 or more, got '3'.",
  );
});

describe('profiles', () => {
  it('are looked up by name', () => {
    expect(Object.entries(profiles).map(([name, profile]) => profile.name === name)).toEqual([true, true, true]);
  });

  it('limit the retries of a turn, and use memory, only in `adaptive`', () => {
    expect(Object.values(profiles).map(({ turn, useMemory }) => [turn.maxRetries, useMemory])).toEqual([
      [null, false],
      [null, false],
      [50, true],
    ]);
    // Long enough for tools that take minutes.
    expect(profiles.adaptive.turn).toEqual({ ...profiles.spec.turn, timeoutMs: 3_600_000, concurrency: Infinity, maxRetries: 50 });
  });

  it('leave a tool without settings that it did not set', () => {
    for (const { tool } of Object.values(profiles))
      expect(tool).toMatchObject({ alternatives: [], acceptPartial: false, maxOutputChars: 10_485_760 });
  });
});

it('a rate limit is merged field by field', () => {
  const limited = resolveSettings(profiles.spec.tool, { rateLimit: { limit: 10, windowMs: 1_000 } });
  expect(resolveSettings(limited, { rateLimit: { limit: 5 } as never }).rateLimit).toEqual({ limit: 5, windowMs: 1_000 });
});
