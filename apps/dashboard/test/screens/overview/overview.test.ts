import { describe, expect, test } from 'vitest';
import { changeAppearance, changePath, foldChanges } from '../../../src/screens/overview/changes.model.ts';
import { summarizeFiring, informativeValue } from '../../../src/screens/overview/firing-alerts.model.ts';
import { filterTiles, statusCounts, type TileChoice } from '../../../src/screens/overview/tiles.model.ts';
import { shareOf } from '../../../src/ui/share.model.ts';
import { alert, counts, failure, tile } from '../../fixtures.ts';

const all: TileChoice = { q: '', status: 'all', sort: 'urgency' };
const names = (change: Partial<TileChoice>, tiles = exampleTiles): readonly string[] =>
  filterTiles(tiles, { ...all, ...change }).map(({ name }) => name);

const exampleTiles = [
  tile('orders', { status: 'ok', failure: shareOf(1, 2), counts: counts({ calls: 2 }) }),
  tile('Search', {
    status: 'failing',
    failure: shareOf(40, 100),
    counts: counts({ calls: 100 }),
    last_failure: failure('c', { code: 'ECONNRESET' }),
  }),
  tile('mails', {
    status: 'degraded',
    source: { kind: 'mcp', server: 'post', tool: 'mails' },
    latency: { p50_ms: 1, p95_ms: 900, p99_ms: 1, mean_ms: 1 },
  }),
  tile('archive', { status: 'idle' }),
];

describe('filterTiles', () => {
  test('failing ones come first, idle ones last', () => {
    expect(names({})).toEqual(['Search', 'mails', 'orders', 'archive']);
  });

  test('searches name, source and last failure for all words', () => {
    expect(names({ q: 'sea' })).toEqual(['Search']);
    expect(names({ q: 'POST mcp' })).toEqual(['mails']);
    expect(names({ q: 'econnreset' })).toEqual(['Search']);
    expect(names({ q: 'search post' })).toEqual([]);
  });

  test('ranks 40 of 100 failures before 1 of 2', () => {
    expect(names({ sort: 'failures' }).slice(0, 2)).toEqual(['Search', 'orders']);
  });

  test('sorts by other orders', () => {
    expect(names({ sort: 'slow' })[0]).toBe('mails');
    expect(names({ sort: 'calls' }).slice(0, 2)).toEqual(['Search', 'orders']);
    expect(names({ sort: 'name' })).toEqual(['Search', 'archive', 'mails', 'orders']);
  });

  test('filters by status, and counts each', () => {
    expect(names({ status: 'idle' })).toEqual(['archive']);
    expect(statusCounts(exampleTiles)).toEqual({ all: 4, failing: 1, recovering: 0, degraded: 1, ok: 1, idle: 1 });
  });
});

describe('changes', () => {
  const change = { id: 1, at: '2026-01-01T00:00:00.000Z', text: 'x' };

  test('link to the most specific page', () => {
    expect(changePath({ ...change, kind: 'alert_firing', fingerprint: 'f', tool_id: 't' })).toBe('/alerts?alert=f');
    expect(changePath({ ...change, kind: 'new_failure', signature: 's', tool_id: 't' })).toBe('/failures/s');
    expect(changePath({ ...change, kind: 'circuit_opened', tool_id: 't', turn_id: 'u' })).toBe('/tools/t');
    expect(changePath({ ...change, kind: 'tool_removed', tool_id: 't' })).toBeUndefined();
    expect(changePath({ ...change, kind: 'operator_action', turn_id: 'u', call_id: 'c' })).toBe('/turns/u?call=c');
    expect(changePath({ ...change, kind: 'upstream_down' })).toBeUndefined();
  });

  test('of a tool that flaps are one line', () => {
    const flap = Array.from({ length: 12 }, (_, index) => ({
      id: 20 - index,
      at: new Date(Date.UTC(2026, 0, 1, 0, 0, 60 - index * 5)).toISOString(),
      kind: index % 2 === 0 ? ('circuit_half_opened' as const) : ('circuit_opened' as const),
      text: index % 2 === 0 ? 'half-opened' : 'opened',
      tool_id: 'flappy',
    }));
    const other = { ...change, kind: 'upstream_down' as const, text: 'a server is down' };
    expect(foldChanges([...flap.slice(0, 3), other, ...flap.slice(3)]).map(({ text }) => text)).toEqual([
      'flappy: its circuit opened 6× in 1 min. Latest: half-opened',
      'a server is down',
    ]);
    expect(foldChanges(flap.slice(0, 3)).map(({ text }) => text)).toEqual(['half-opened', 'opened', 'half-opened']);
  });

  test('an unknown kind has a default icon', () => {
    expect(changeAppearance('moved' as 'tool_added')).toEqual({ icon: 'dot', tone: 'quiet' });
  });
});

describe('firing alerts', () => {
  test('are sorted by severity; suppressed ones are only counted, pending ones are left out', () => {
    const { loud, quiet } = summarizeFiring(
      [
        alert('warns', { severity: 'warning' }),
        alert('pends', { state: 'pending' }),
        alert('silent', { silenced_by: ['s'] }),
        alert('inhibited', { inhibited_by: ['critical'] }),
        alert('critical', { severity: 'critical' }),
      ],
      [],
    );
    expect(loud.map(({ alert: { fingerprint } }) => fingerprint)).toEqual(['critical', 'warns']);
    expect(quiet).toBe(2);
  });

  test('have one line per tool, and those that lose most calls come first', () => {
    const about = (tool: string, name: string, severity: 'critical' | 'warning' = 'critical') =>
      alert(`${tool} ${name}`, { tool_id: tool, severity });
    const { loud } = summarizeFiring(
      [about('small', 'open'), about('big', 'slow', 'warning'), about('big', 'open'), about('big', 'fails')],
      [tile('small', { failure: shareOf(10, 20) }), tile('big', { failure: shareOf(190, 190) })],
    );
    expect(loud.map(({ alert: { fingerprint }, others, lost }) => [fingerprint, others, lost])).toEqual([
      ['big open', 2, 190],
      ['small open', 0, 10],
    ]);
  });

  test('a plain number is not repeated', () => {
    expect([informativeValue(alert('a', { value: '3' })), informativeValue(alert('a', { value: '3 of 20 (15 %)' }))]).toEqual([
      '',
      '3 of 20 (15 %)',
    ]);
  });
});
