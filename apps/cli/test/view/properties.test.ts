import { stripVTControlCharacters } from 'node:util';
import type { TraceEvent } from '@holdfast/core';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { foldTurn } from '@holdfast/core/turn-view';
import { renderExplain } from '../../src/view/explain/explain.ts';
import { renderLive } from '../../src/view/live/frame.ts';
import { renderPlain } from '../../src/view/plain/plain.ts';
import { renderSummary } from '../../src/view/summary/summary.ts';
import { renderTrace } from '../../src/view/summary/trace.ts';
import { brokenTrace, shuffledTrace } from './arbitrary-events.ts';
import { travelTurn } from './travel-turn.ts';

const traces = fc.oneof(brokenTrace, shuffledTrace);
const screens = fc.record({
  width: fc.integer({ min: 1, max: 160 }),
  height: fc.integer({ min: 1, max: 50 }),
  glyphs: fc.constantFrom('unicode' as const, 'ascii' as const),
  color: fc.boolean(),
  nowMs: fc.oneof(fc.double(), fc.integer({ min: 0, max: 100_000 })),
});
type Screen = typeof screens extends fc.Arbitrary<infer Value> ? Value : never;

const renderAll = (events: readonly TraceEvent[], screen: Screen): readonly string[] => {
  const view = foldTurn(events);
  return [
    ...renderLive(view, screen),
    ...renderSummary(view, screen),
    ...renderTrace(events, screen),
    ...[...view.calls.map(({ callId }) => callId), 'unknown'].flatMap((callId) => renderExplain(view, callId, screen)),
  ];
};

const escape = '\u001B';
/** Only the colours that the view itself uses. */
const ownColors = new RegExp(`${escape}\\[(?:1|2|22|3[1-6]|39)m`, 'gu');
const unsafe = /[\p{Cc}\p{Cs}\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF]/u;

describe('for arbitrary events', () => {
  it('no line is wider than the screen, and no live frame taller', () => {
    fc.assert(
      fc.property(traces, screens, (events, screen) => {
        for (const line of renderAll(events, screen)) expect(stringWidth(line)).toBeLessThanOrEqual(screen.width);
        expect(renderLive(foldTurn(events), screen).length).toBeLessThanOrEqual(screen.height);
      }),
      { numRuns: 60 },
    );
  });

  it('no control character, no bidirectional override and no foreign colour reaches the screen', () => {
    fc.assert(
      fc.property(traces, screens, (events, screen) => {
        for (const line of renderAll(events, screen)) {
          expect(screen.color ? line.replace(ownColors, '') : line).not.toMatch(unsafe);
        }
        for (const event of events) expect(renderPlain(event) ?? '').not.toMatch(unsafe);
      }),
      { numRuns: 60 },
    );
  });

  it('ASCII output is ASCII', () => {
    fc.assert(
      fc.property(traces, screens, (events, screen) => {
        for (const line of renderAll(events, { ...screen, glyphs: 'ascii', color: false })) expect(line).toMatch(/^[ -~]*$/u);
      }),
      { numRuns: 40 },
    );
  });

  it('colour changes nothing but colour', () => {
    fc.assert(
      fc.property(traces, screens, (events, screen) => {
        const colored = renderAll(events, { ...screen, color: true }).map(stripVTControlCharacters);
        expect(colored).toEqual(renderAll(events, { ...screen, color: false }));
      }),
      { numRuns: 60 },
    );
  });

  it('an event type named like a property of Object.prototype is rendered like any unknown one', () => {
    const odd = [{ event_type: 'valueOf', turn_id: 'travel-7f3a', elapsed_ms: 0 }] as unknown as readonly TraceEvent[];
    expect(renderTrace(odd, { width: 40, glyphs: 'unicode', color: true }).map(stripVTControlCharacters)).toEqual(
      renderTrace(odd, { width: 40, glyphs: 'unicode', color: false }),
    );
  });

  it('every prefix of a turn can be rendered, since a process may die at any time', () => {
    const events = travelTurn();
    for (let length = 0; length <= events.length; length += 1) {
      const lines = renderTrace(events.slice(0, length), { width: 80, glyphs: 'unicode', color: false });
      expect(lines.some((line) => line.includes('INTERRUPTED'))).toBe(length < events.length);
    }
  });
});
