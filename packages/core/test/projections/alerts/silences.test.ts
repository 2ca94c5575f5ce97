import { describe, expect, it } from 'vitest';
import { compileInhibitRules, Silences } from '../../../src/projections/alerts/silences.ts';

const silence = (id: string, startsAtEpochMs: number, endsAtEpochMs: number): Parameters<Silences['put']>[0] => ({
  id,
  matchers: [{ name: 'tool', value: 'search' }],
  startsAtEpochMs,
  endsAtEpochMs,
  createdBy: 'me',
  comment: '',
});
const search = { alertname: 'A', tool: 'search' };

describe('a silence', () => {
  it('includes its start and excludes its end', () => {
    const silences = new Silences();
    silences.put(silence('s', 10, 20));
    expect([9, 10, 19, 20].map((at) => silences.covering(search, at))).toEqual([[], ['s'], ['s'], []]);
    expect(silences.covering({ alertname: 'A' }, 15)).toEqual([]);
  });

  it.each(['constructor', '__proto__', 'toString'])('matches a label called %s only if the alert has it', (name) => {
    const silences = new Silences();
    const matcher = { name, value: 'x.*', isRegex: true };
    silences.put({ ...silence('has', 0, 20), matchers: [matcher] });
    silences.put({ ...silence('has none', 0, 20), matchers: [{ ...matcher, isEqual: false }] });
    expect(silences.covering(search, 10)).toEqual(['has none']);
  });

  it('is removed when it ends before it begins, and kept for a day when it was running', () => {
    const silences = new Silences();
    silences.put(silence('later', 100, 200));
    silences.put(silence('now', 0, 200));
    expect([silences.end('later', 50), silences.end('now', 50), silences.end('none', 50)]).toEqual([true, true, false]);
    expect(silences.list()).toMatchObject([{ id: 'now', endsAtEpochMs: 50 }]);
    silences.forget(50 + 24 * 3_600_000);
    expect(silences.list()).toHaveLength(1);
    silences.forget(51 + 24 * 3_600_000);
    expect(silences.list()).toEqual([]);
  });

  it('is limited in number, but existing ones can still be replaced', () => {
    const silences = new Silences();
    for (let index = 0; index < 1_000; index++) silences.put(silence(`s${index}`, 0, 10));
    expect(() => silences.put(silence('more', 0, 10))).toThrow('at most 1000');
    silences.put(silence('s5', 0, 99));
    expect(silences.covering(search, 50)).toEqual(['s5']);
  });

  it.each([
    [{ name: 'tool', value: 'search', isEqual: false }, false],
    [{ name: 'tool', value: 'book', isEqual: false }, true],
    [{ name: 'missing', value: '' }, true],
    [{ name: 'tool', value: 'sea', isRegex: true }, false],
    [{ name: 'tool', value: 'sea.*|book', isRegex: true }, true],
    [{ name: 'tool', value: 'book.*', isRegex: true, isEqual: false }, true],
  ])('matches %j: %s', (matcher, matches) => {
    const silences = new Silences();
    silences.put({ ...silence('s', 0, 10), matchers: [matcher] });
    expect(silences.covering(search, 5).length > 0).toBe(matches);
  });
});

describe('inhibition', () => {
  const byName = (value: string): { readonly name: string; readonly value: string } => ({ name: 'alertname', value });
  const inhibited = compileInhibitRules([{ source: [byName('Open')], target: [byName('Slow')], equal: ['tool', 'zone'] }]);
  const alert = (alertname: string, tool: string): { readonly fingerprint: string; readonly labels: Readonly<Record<string, string>> } => ({
    fingerprint: `${alertname} ${tool}`,
    labels: { alertname, tool },
  });

  it('requires equal values; a label that both alerts lack counts as equal', () => {
    expect(inhibited(alert('Slow', 'a'), [alert('Open', 'a'), alert('Open', 'b')])).toEqual(['Open a']);
    expect(inhibited(alert('Other', 'a'), [alert('Open', 'a')])).toEqual([]);
  });

  it('an alert that is both source and target is not inhibited by another such alert', () => {
    const all = compileInhibitRules([{ source: [byName('Open')], target: [{ name: 'tool', value: '.*', isRegex: true }], equal: [] }]);
    expect(all(alert('Open', 'a'), [alert('Open', 'a'), alert('Open', 'b')])).toEqual([]);
    expect(all(alert('Slow', 'a'), [alert('Open', 'a'), alert('Open', 'b')])).toEqual(['Open a', 'Open b']);
  });
});
