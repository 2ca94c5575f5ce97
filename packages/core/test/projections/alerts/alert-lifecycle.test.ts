import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AlertRule } from '../../../src/projections/alerts/rule.ts';
import { step, type Instance, type Step } from '../../../src/projections/alerts/alert-lifecycle.ts';

const second = 1_000;
const measured = { labels: { tool: 'search' }, value: 3 };

function rule(times: Pick<AlertRule, 'forMs' | 'keepFiringForMs'>): AlertRule {
  const condition = { kind: 'value', of: { metric: 'm', what: 'm' }, above: 0 } as const;
  return { name: 'R', severity: 'info', by: [], condition, summary: '', description: '', ...times };
}

const symbols = { none: '.', pending: 'p', firing: 'F', resolved: 'r' } as const;

/** The states of an alert, second by second: `.` none, `p` pending, `F` firing, `r` resolved. */
function run(
  times: Pick<AlertRule, 'forMs' | 'keepFiringForMs'>,
  conditions: string,
): { readonly states: string; readonly changes: string[] } {
  let instance: Instance | undefined;
  const changes: string[] = [];
  const states = Array.from(conditions, (condition, index) => {
    const next: Step = step(rule(times), instance, condition === '#' ? measured : undefined, index * second);
    changes.push(...next.changes.map((kind) => `${index} ${kind}`));
    instance = next.instance;
    return symbols[instance?.state ?? 'none'];
  });
  return { states: states.join(''), changes };
}

describe('the lifecycle of an alert', () => {
  it('follows its condition when no times are set', () => {
    expect(run({}, '.##.#')).toEqual({ states: '.FFrF', changes: ['1 firing', '3 resolved', '4 firing'] });
  });

  it('is pending for exactly `forMs`', () => {
    expect(run({ forMs: 2 * second }, '.####')).toEqual({ states: '.ppFF', changes: ['1 pending', '3 firing'] });
  });

  it('is withdrawn when its condition stops holding while it is pending, and begins again', () => {
    expect(run({ forMs: 2 * second }, '##.###')).toEqual({
      states: 'pp.ppF',
      changes: ['0 pending', '2 withdrawn', '3 pending', '5 firing'],
    });
  });

  it('keeps firing for `keepFiringForMs`', () => {
    expect(run({ keepFiringForMs: 2 * second }, '#...').states).toBe('FFFr');
    expect(run({ keepFiringForMs: 2 * second }, '#..#...').states).toBe('FFFFFFr');
  });

  it('stays resolved for 15 minutes after its end', () => {
    const ended = step(rule({}), step(rule({}), undefined, measured, 0).instance, undefined, second);
    expect(step(rule({}), ended.instance, undefined, second + 15 * 60 * second).instance?.state).toBe('resolved');
    expect(step(rule({}), ended.instance, undefined, second + 15 * 60 * second + 1).instance).toBeUndefined();
  });

  it('keeps the latest measurement and the time of its beginning', () => {
    const first = step(rule({ forMs: second }), undefined, measured, 5);
    const then = step(rule({ forMs: second }), first.instance, { ...measured, value: 9 }, 1_005);
    expect(then.instance).toEqual({ state: 'firing', activeAtEpochMs: 5, firedAtEpochMs: 1_005, measured: { ...measured, value: 9 } });
  });
});

it('an alert does not wait for a clock that was set back', () => {
  const waiting = step(rule({ forMs: second }), undefined, measured, 3_600_000);
  const then = step(rule({ forMs: second }), waiting.instance, measured, 0);
  expect(step(rule({ forMs: second }), then.instance, measured, second).instance?.state).toBe('firing');
  const firing = step(rule({ keepFiringForMs: second }), undefined, measured, 3_600_000);
  const kept = step(rule({ keepFiringForMs: second }), firing.instance, undefined, 0);
  expect(kept.instance).toMatchObject({ state: 'firing', firedAtEpochMs: 0 });
  expect(step(rule({ keepFiringForMs: second }), kept.instance, undefined, second).instance?.state).toBe('resolved');
});

describe('for any condition', () => {
  const conditions = fc.string({ unit: fc.constantFrom('#', '.'), maxLength: 60 });
  const seconds = fc.integer({ min: 0, max: 5 }).map((count) => count * second);

  it('an alert fires exactly when its condition has held for long enough, and ends when it has stopped for long enough', () => {
    fc.assert(
      fc.property(conditions, seconds, seconds, (text, forMs, keepFiringForMs) => {
        const { states } = run({ forMs, keepFiringForMs }, text);
        let held = 0;
        let gone = Infinity;
        let firing = false;
        for (const [index, condition] of Array.from(text).entries()) {
          held = condition === '#' ? held + 1 : 0;
          gone = condition === '#' ? 0 : gone + 1;
          if (held > 0 && (held - 1) * second >= forMs) firing = true;
          if (firing && gone > 0 && (gone - 1) * second >= keepFiringForMs) firing = false;
          expect(states[index] === 'F', `${text} at ${index}`).toBe(firing);
        }
      }),
    );
  });

  it('every end has a beginning, and every beginning occurs once', () => {
    fc.assert(
      fc.property(conditions, seconds, seconds, (text, forMs, keepFiringForMs) => {
        const next: Readonly<Record<string, readonly string[]>> = {
          none: ['pending', 'firing'],
          pending: ['firing', 'withdrawn'],
          firing: ['resolved'],
          resolved: ['pending', 'firing'],
          withdrawn: ['pending', 'firing'],
        };
        let last = 'none';
        for (const change of run({ forMs, keepFiringForMs }, text).changes) {
          const kind = change.split(' ')[1] ?? '';
          expect(next[last]).toContain(kind);
          last = kind;
        }
      }),
    );
  });
});
