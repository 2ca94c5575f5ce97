/** Malformed events: any order, any gaps, hostile strings and numbers. */
import type { TraceEvent } from '@holdfast/core';
import fc from 'fast-check';
import { travelTurn } from './travel-turn.ts';

/** Control sequences, bidirectional overrides, wide and joined characters, lone surrogates. */
const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.constantFrom(
    '\u001B[2J\u001B[1;1H',
    '\u001B]0;title\u0007',
    '\u001B]8;;http://x.test\u001B\\link',
    '\u009B31m',
    '\r\noverwritten',
    '\u202Etxt.exe',
    '東京タワー東京タワー東京タワー',
    '👩‍👩‍👧‍👦👩‍👩‍👧‍👦',
    'e\u0301\u0301\u0301\u0301\u0301\u0301',
    '\u20E3',
    '\uD83D',
    '🇩🇪',
    '',
    'x'.repeat(300),
  ),
);

const hostileNumber = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e300));
const ids = fc.oneof(fc.constantFrom('flight_search', 'hotel_search', 'compare_prices', 'new_call'), hostileText);

/** An event of the fixture with some of its fields, at any depth, removed or replaced. */
const damaged: fc.Arbitrary<TraceEvent> = fc
  .record({
    event: fc.constantFrom(...travelTurn()),
    lost: fc.array(fc.nat(), { maxLength: 3 }),
    changes: fc.array(fc.tuple(fc.nat(), fc.oneof(hostileText, hostileNumber, fc.constant(null), fc.constant([]), fc.object())), {
      maxLength: 3,
    }),
    elapsed: hostileNumber,
    callId: ids,
  })
  .map(({ event, lost, changes, elapsed, callId }) => {
    const copy: Record<string, unknown> = { ...structuredClone(event), elapsed_ms: elapsed };
    if ('call_id' in copy) copy['call_id'] = callId;
    const places = fieldsOf(copy).filter(([, key]) => key !== 'turn_id' && key !== 'event_type');
    for (const index of lost) {
      const place = places[index % places.length];
      if (place) delete place[0][place[1]];
    }
    for (const [index, value] of changes) {
      const place = places[index % places.length];
      if (place) place[0][place[1]] = value;
    }
    return copy as unknown as TraceEvent;
  });

type Place = readonly [Record<string, unknown>, string];

function fieldsOf(value: Record<string, unknown>): readonly Place[] {
  return Object.keys(value).flatMap((key) => {
    const inner = value[key];
    const nested = typeof inner === 'object' && inner !== null ? fieldsOf(inner as Record<string, unknown>) : [];
    return [[value, key] as const, ...nested];
  });
}

const foreign = fc
  .record({ event_type: hostileText, turn_id: fc.constant('travel-7f3a'), call_id: ids, elapsed_ms: hostileNumber })
  .map((event) => event as unknown as TraceEvent);

const noEvent = fc.constantFrom(null, undefined, 7, 'text', []).map((value) => value as unknown as TraceEvent);

export const brokenTrace: fc.Arbitrary<TraceEvent[]> = fc.array(
  fc.oneof({ weight: 8, arbitrary: damaged }, { weight: 1, arbitrary: foreign }, { weight: 1, arbitrary: noEvent }),
  { maxLength: 25 },
);

/** Valid events in an impossible order or selection. */
export const shuffledTrace: fc.Arbitrary<TraceEvent[]> = fc.shuffledSubarray(travelTurn());
