import { describe, expect, test } from 'vitest';
import { changeAppearance, changePath } from '../../../src/screens/overview/changes.model.ts';
import { summarizeFiring, tellingValue } from '../../../src/screens/overview/firing-alerts.model.ts';
import { filterTiles, statusCounts, type TileChoice } from '../../../src/screens/overview/tiles.model.ts';
import { shareOf } from '../../../src/ui/share.model.ts';
import { alert, counts, failure, tile } from '../../fixtures.ts';

const all: TileChoice = { q: '', status: 'all', sort: 'urgency' };
const names = (change: Partial<TileChoice>, tiles = world): readonly string[] =>
  filterTiles(tiles, { ...all, ...change }).map(({ name }) => name);

const world = [
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

  test('searches name, source and last failure, every word', () => {
    expect(names({ q: 'sea' })).toEqual(['Search']);
    expect(names({ q: 'POST mcp' })).toEqual(['mails']);
    expect(names({ q: 'econnreset' })).toEqual(['Search']);
    expect(names({ q: 'search post' })).toEqual([]);
  });

  test('1 of 2 does not stand before 40 of 100', () => {
    expect(names({ sort: 'failures' }).slice(0, 2)).toEqual(['Search', 'orders']);
  });

  test('other orders', () => {
    expect(names({ sort: 'slow' })[0]).toBe('mails');
    expect(names({ sort: 'calls' }).slice(0, 2)).toEqual(['Search', 'orders']);
    expect(names({ sort: 'name' })).toEqual(['Search', 'archive', 'mails', 'orders']);
  });

  test('filters by status, and counts each', () => {
    expect(names({ status: 'idle' })).toEqual(['archive']);
    expect(statusCounts(world)).toEqual({ all: 4, failing: 1, recovering: 0, degraded: 1, ok: 1, idle: 1 });
  });
});

describe('changes', () => {
  const change = { id: 1, at: '2026-01-01T00:00:00.000Z', text: 'x' };

  test('lead to what says most about them', () => {
    expect(changePath({ ...change, kind: 'alert_firing', fingerprint: 'f', tool: 't' })).toBe('/alerts?alert=f');
    expect(changePath({ ...change, kind: 'new_failure', signature: 's', tool: 't' })).toBe('/failures/s');
    expect(changePath({ ...change, kind: 'circuit_opened', tool: 't', turn_id: 'u' })).toBe('/tools/t');
    expect(changePath({ ...change, kind: 'tool_removed', tool: 't' })).toBeUndefined();
    expect(changePath({ ...change, kind: 'operator_action', turn_id: 'u', call_id: 'c' })).toBe('/turns/u?call=c');
    expect(changePath({ ...change, kind: 'upstream_down' })).toBeUndefined();
  });

  test('a kind of a later version has a sign, too', () => {
    expect(changeAppearance('moved' as 'tool_added')).toEqual({ icon: 'dot', tone: 'quiet' });
  });
});

describe('firing alerts', () => {
  test('the gravest first; what is kept quiet is counted, what is pending is not', () => {
    const { loud, quiet } = summarizeFiring([
      alert('warns', { severity: 'warning' }),
      alert('pends', { state: 'pending' }),
      alert('silent', { silenced_by: ['s'] }),
      alert('inhibited', { inhibited_by: ['grave'] }),
      alert('grave', { severity: 'critical' }),
    ]);
    expect(loud.map(({ fingerprint }) => fingerprint)).toEqual(['grave', 'warns']);
    expect(quiet).toBe(2);
  });

  test('a bare count is not repeated', () => {
    expect([tellingValue(alert('a', { value: '3' })), tellingValue(alert('a', { value: '3 of 20 (15 %)' }))]).toEqual([
      '',
      '3 of 20 (15 %)',
    ]);
  });
});
