import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AlertRule } from '../../../src/projections/alerts/rule.ts';
import { step, type Instance, type Step } from '../../../src/projections/alerts/alert-lifecycle.ts';

const second = 1_000;
const tooMuch = { labels: { tool: 'search' }, value: 3 };

function rule(times: Pick<AlertRule, 'forMs' | 'keepFiringForMs'>): AlertRule {
  const condition = { kind: 'value', of: { metric: 'm', what: 'm' }, above: 0 } as const;
  return { name: 'R', severity: 'info', by: [], condition, summary: '', description: '', ...times };
}

const signs = { none: '.', pending: 'p', firing: 'F', resolved: 'r' } as const;

/** What an alert says, second by second: `.` nothing, `p` pending, `F` firing, `r` resolved. */
function life(
  times: Pick<AlertRule, 'forMs' | 'keepFiringForMs'>,
  conditions: string,
): { readonly states: string; readonly changes: string[] } {
  let instance: Instance | undefined;
  const changes: string[] = [];
  const states = Array.from(conditions, (condition, index) => {
    const next: Step = step(rule(times), instance, condition === '#' ? tooMuch : undefined, index * second);
    changes.push(...next.changes.map((kind) => `${index} ${kind}`));
    instance = next.instance;
    return signs[instance?.state ?? 'none'];
  });
  return { states: states.join(''), changes };
}

describe('the life of an alert', () => {
  it('without times it follows its condition', () => {
    expect(life({}, '.##.#')).toEqual({ states: '.FFrF', changes: ['1 firing', '3 resolved', '4 firing'] });
  });

  it('waits for as long as it has to, to the moment', () => {
    expect(life({ forMs: 2 * second }, '.####')).toEqual({ states: '.ppFF', changes: ['1 pending', '3 firing'] });
  });

  it('what ceases while it waits is withdrawn, and begins anew', () => {
    expect(life({ forMs: 2 * second }, '##.###')).toEqual({
      states: 'pp.ppF',
      changes: ['0 pending', '2 withdrawn', '3 pending', '5 firing'],
    });
  });

  it('fires on for as long as it is kept', () => {
    expect(life({ keepFiringForMs: 2 * second }, '#...').states).toBe('FFFr');
    expect(life({ keepFiringForMs: 2 * second }, '#..#...').states).toBe('FFFFFFr');
  });

  it('is known for 15 minutes after its end', () => {
    const ended = step(rule({}), step(rule({}), undefined, tooMuch, 0).instance, undefined, second);
    expect(step(rule({}), ended.instance, undefined, second + 15 * 60 * second).instance?.state).toBe('resolved');
    expect(step(rule({}), ended.instance, undefined, second + 15 * 60 * second + 1).instance).toBeUndefined();
  });

  it('keeps what was measured last, and when it began', () => {
    const first = step(rule({ forMs: second }), undefined, tooMuch, 5);
    const then = step(rule({ forMs: second }), first.instance, { ...tooMuch, value: 9 }, 1_005);
    expect(then.instance).toEqual({ state: 'firing', activeAtEpochMs: 5, firedAtEpochMs: 1_005, measured: { ...tooMuch, value: 9 } });
  });
});

it('a clock that was set back makes nothing wait for it', () => {
  const waiting = step(rule({ forMs: second }), undefined, tooMuch, 3_600_000);
  const then = step(rule({ forMs: second }), waiting.instance, tooMuch, 0);
  expect(step(rule({ forMs: second }), then.instance, tooMuch, second).instance?.state).toBe('firing');
  const firing = step(rule({ keepFiringForMs: second }), undefined, tooMuch, 3_600_000);
  const kept = step(rule({ keepFiringForMs: second }), firing.instance, undefined, 0);
  expect(kept.instance).toMatchObject({ state: 'firing', firedAtEpochMs: 0 });
  expect(step(rule({ keepFiringForMs: second }), kept.instance, undefined, second).instance?.state).toBe('resolved');
});

describe('whatever the condition does', () => {
  const conditions = fc.string({ unit: fc.constantFrom('#', '.'), maxLength: 60 });
  const seconds = fc.integer({ min: 0, max: 5 }).map((count) => count * second);

  it('an alert fires exactly when its condition has held for long enough, and ends when it has not', () => {
    fc.assert(
      fc.property(conditions, seconds, seconds, (text, forMs, keepFiringForMs) => {
        const { states } = life({ forMs, keepFiringForMs }, text);
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

  it('every end was begun, and every beginning comes once', () => {
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
        for (const change of life({ forMs, keepFiringForMs }, text).changes) {
          const kind = change.split(' ')[1] ?? '';
          expect(next[last]).toContain(kind);
          last = kind;
        }
      }),
    );
  });
});
