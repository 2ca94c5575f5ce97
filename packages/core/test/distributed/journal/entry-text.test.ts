import { expect, test } from 'vitest';
import { entryText, readEntry } from '../../../src/distributed/journal/entry-text.ts';
import type { WrittenEntry } from '../../../src/distributed/journal/entry-text.ts';
import type { LogEntry } from '../../../src/distributed/journal/log-entry.ts';

const unredacted = (text: string): string => text;
const permit = { generation: 3, probe: false, probeNumber: 0, recorded: false, released: false, orphaned: false };
const admission = { type: 'admission', request: 2, toolName: 'search', answer: { kind: 'permit', permit }, circuit: 'closed' } as const;
const events = [{ event_type: 'CircuitBreakerHalfOpened', tool_id: 'search', reason: 'open_period_elapsed', message: 'm' }] as const;

const shortEntries: readonly (readonly [LogEntry, string])[] = [
  [{ question: 7, answer: { type: 'prepared' } }, '["prepared",7]'],
  [{ question: 7, answer: admission }, '["permit",7,2,"search",3]'],
  [{ call: 'A', at: 1.5, input: admission }, '["permit","A",1.5,2,"search",3]'],
];

test.for(shortEntries)('%j has a short form, and is restored', ([entry, text]) => {
  expect(entryText(entry, unredacted)).toBe(text);
  expect(readEntry(JSON.parse(text) as WrittenEntry)).toEqual(entry);
});

const otherEntries: readonly LogEntry[] = [
  {
    question: 7,
    answer: { ...admission, circuit: 'half_open', answer: { kind: 'permit', permit: { ...permit, probe: true, probeNumber: 4 } } },
  },
  { question: 7, answer: { ...admission, hedgeAfterMs: 50 } },
  { question: 7, answer: admission, events },
  { question: 7, events },
  { question: 7, answer: { ...admission, answer: { kind: 'wait', ticket: 5 } } },
  { question: 7, answer: { ...admission, answer: { kind: 'refused', refusal: { code: 'CIRCUIT_OPEN', retryAfterMs: 10 } } } },
  { call: 'A', at: 2, input: { type: 'prepared' } },
  { call: 'A', at: 2, timer: 'attempt', attempt: 1 },
  { at: 2, input: { type: 'submitted' } },
  { call: 'A', at: 2, input: { type: 'attempt_settled', attempt: 1, outcome: { ok: true, output: { cause: new Date(0).toISOString() } } } },
];

test.for(otherEntries)('%j is restored', (entry) => {
  expect(readEntry(JSON.parse(entryText(entry, unredacted)) as WrittenEntry)).toMatchObject(withoutFlags(entry));
});

test('an error is written as its description', () => {
  const cause = Object.assign(new Error('reset'), { code: 'ECONNRESET', secret: { deep: true } });
  const fault = {
    kind: 'error',
    code: 'NETWORK_ERROR',
    message: 'm',
    text: 't',
    classification: { classification: 'transient', category: 'network', rule: 'r', ambiguous: true },
    cause,
  } as const;
  const read = readEntry(
    JSON.parse(
      entryText({ call: 'A', at: 2, input: { type: 'attempt_settled', attempt: 1, outcome: { ok: false, fault } } }, unredacted),
    ) as WrittenEntry,
  );
  expect(read).toEqual({
    call: 'A',
    at: 2,
    input: {
      type: 'attempt_settled',
      attempt: 1,
      outcome: { ok: false, fault: { ...fault, cause: { name: 'Error', message: 'reset', code: 'ECONNRESET' } } },
    },
  });
});

/** The flags of a permit are not journaled. */
function withoutFlags(entry: LogEntry): LogEntry {
  return JSON.parse(
    JSON.stringify(entry, (key, value: unknown) => (['recorded', 'released', 'orphaned'].includes(key) ? undefined : value)),
  ) as LogEntry;
}
