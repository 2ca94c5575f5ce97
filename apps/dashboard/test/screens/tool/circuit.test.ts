import { describe, expect, test } from 'vitest';
import { changeTitle, samplesSentence, selectedChange, stateSpans, timelineSummary } from '../../../src/screens/tool/circuit.model.ts';
import { circuitActions, clientCircuits } from '../../../src/screens/tool/circuit-control.model.ts';
import { automaticRange } from '../../../src/screens/tool/range.ts';
import { circuitChange, sample, timeline } from '../../fixtures.ts';

const opened = circuitChange(1, { at: '2026-01-01T00:15:00.000Z' });
const halfOpened = circuitChange(2, { at: '2026-01-01T00:30:00.000Z', from: 'open', to: 'half_open', reason: 'open_period_elapsed' });
const openedAgain = circuitChange(3, { at: '2026-01-01T00:36:00.000Z', from: 'half_open', to: 'open', reason: 'probe_failed' });

describe('stateSpans', () => {
  test('cover the whole range without gaps', () => {
    const spans = stateSpans(timeline({ changes: [opened, halfOpened, openedAgain] }));
    expect(spans.map(({ state, from, to }) => [state, from, to])).toEqual([
      ['closed', 0, 0.25],
      ['open', 0.25, 0.5],
      ['half_open', 0.5, 0.6],
      ['open', 0.6, 1],
    ]);
  });

  test('gives one span without changes, and clamps changes outside the range', () => {
    expect(stateSpans(timeline({ state: 'open' }))).toEqual([{ state: 'open', from: 0, to: 1 }]);
    expect(stateSpans(timeline({ changes: [circuitChange(1, { at: '2025-12-31T00:00:00.000Z' })] }))[1]?.from).toBe(0);
  });

  test('begin when the gateway knew the circuit, and do not exist without one', () => {
    const young = timeline({ known_since: '2026-01-01T00:45:00.000Z' });
    expect(stateSpans(young)).toEqual([{ state: 'closed', from: 0.75, to: 1 }]);
    expect(timelineSummary(young).replaceAll('\u00A0', ' ')).toBe(
      'The circuit was closed the whole time. 75 % of the range is before the gateway knew the circuit.',
    );
    expect(stateSpans(timeline({ state: null }))).toEqual([]);
    expect(timelineSummary(timeline({ state: null }))).toBe('The tool has no circuit breaker.');
  });

  test('are summarized as text for screen readers', () => {
    expect(timelineSummary(timeline({ changes: [opened, halfOpened, openedAgain] }))).toBe(
      'The circuit opened 2 times; of the time it was closed 25 %, half open 10 % and open 65 %.',
    );
    expect(timelineSummary(timeline())).toBe('The circuit was closed the whole time.');
  });
});

describe('selectedChange', () => {
  test('returns the given change', () => {
    expect(selectedChange([opened, halfOpened], 2)?.id).toBe(2);
  });

  test('otherwise returns the latest opening of a closed circuit', () => {
    expect(selectedChange([opened, halfOpened, openedAgain], 0)?.id).toBe(1);
    expect(selectedChange([halfOpened, openedAgain], 0)?.id).toBe(3);
    expect(selectedChange([halfOpened], 99)?.id).toBe(2);
    expect(selectedChange([], 0)).toBeUndefined();
  });
});

describe('description of a change', () => {
  test('has a title with the reason', () => {
    expect(changeTitle(opened)).toBe('Opened: too many transient failures in a row');
    expect(changeTitle(circuitChange(1, { to: 'closed', reason: 'of_a_later_version' }))).toBe('Closed: of a later version');
  });

  test('counts the outcomes that caused it', () => {
    const samples = [sample(), sample({ counted: true }), sample({ counted: true })];
    expect(samplesSentence({ ...opened, samples, open_for_ms: 30_000 }).replaceAll('\u00A0', ' ')).toBe(
      'The 2 outcomes marked below opened it. It stays open for 30 s, then a probe decides.',
    );
    expect(samplesSentence({ ...opened, samples: samples.slice(1, 2) })).toBe('The outcome marked below opened it.');
    expect(samplesSentence({ ...opened, samples: [] })).toBe('No outcomes were recorded for this change.');
  });
});

describe('automaticRange', () => {
  const known = (changes: Readonly<Record<string, number>>) => (range: string) => changes[range];

  test('keeps the range if it contains changes', () => {
    expect(automaticRange('15m', true, known({ '15m': 1 }))).toBe('15m');
    expect(automaticRange('1h', false, known({ '1h': 0 }))).toBe('1h');
  });

  test('widens the range until changes are found, as far as data is loaded', () => {
    expect(automaticRange('15m', true, known({ '15m': 0, '1h': 2 }))).toBe('1h');
    expect(automaticRange('15m', true, known({ '15m': 0 }))).toBe('1h');
    expect(automaticRange('15m', true, known({ '15m': 0, '1h': 0, '24h': 0 }))).toBe('14d');
    expect(automaticRange('15m', true, known({}))).toBe('15m');
  });
});

describe('circuitActions', () => {
  const commands = (...state: Parameters<typeof circuitActions>): readonly string[] =>
    circuitActions(...state).map(({ command }) => command);

  test('offers only commands that change something', () => {
    expect(commands('closed', 'auto')).toEqual(['open', 'shadow', 'disable']);
    expect(commands('open', 'auto')).toEqual(['close', 'open', 'shadow', 'disable']);
    expect(commands('open', 'forced_open')).toEqual(['auto', 'close', 'shadow', 'disable']);
    expect(commands('closed', 'auto', true)).toEqual(['close', 'open', 'shadow', 'disable']);
    expect(commands('closed', 'shadow')).toEqual(['auto', 'close', 'open', 'disable']);
  });
});

test('the circuits of clients in words', () => {
  const open = (client: string) => ({ client, circuit: 'open', mode: 'auto', failure_count: 5 }) as const;
  expect(clientCircuits()).toBeUndefined();
  expect(clientCircuits([open('alice'), { ...open('bob'), circuit: 'half_open' }])).toBe('open for alice, half open for bob');
  expect(
    clientCircuits([
      { ...open('alice'), mode: 'forced_open' },
      { ...open('bob'), circuit: 'closed', mode: 'shadow' },
    ]),
  ).toBe('forced open for alice, shadow for bob');
  expect(clientCircuits(['a', 'b', 'c', 'd', 'e', 'f'].map(open))).toMatch(/^open for a, .*open for e and 1 more$/);
});
