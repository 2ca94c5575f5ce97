import { describe, expect, it } from 'vitest';
import { renderTrace } from '../../src/view/summary/trace.ts';
import { travelTurn } from './travel-turn.ts';

describe('renderTrace', () => {
  it('shows the waterfall, every event and the summary', () => {
    const lines = renderTrace(travelTurn(), { width: 120, glyphs: 'unicode', color: false });
    expect(lines.slice(0, 3)).toEqual([
      ' ◐ turn travel-7f3a  partial in 3.5s of 30s',
      '                     0s ─────────────────────── 1.7s ───────────────────── 3.5s',
      ' ✔ flight_search     ━━━━━×┄━━━━━×━━━━━━━━━━━━━━                                    ×3    1.6s  503 ×2',
    ]);
    expect(lines.slice(-9)).toEqual([
      '   +3.002s  email_plan  skipped, 0ms',
      '   +3.400s  activity_search  finished late after 3.4s, result not used',
      '   +3.485s  compare_prices  succeeded after 483ms',
      '   +3.485s  compare_prices  done: success, 483ms',
      '   +3.486s  turn partial in 3.5s. Completed flight search, hotel search and compare prices, but activity search timed',
      '            out',
      '',
      ' Completed flight search, hotel search and compare prices, but activity search timed out',
      ' 38 events · profile spec · seed 42 · 2026-03-09T10:00:00.000Z',
    ]);
    expect(lines.join('\n')).not.toContain('INTERRUPTED');
  });

  it('shows an interrupted turn, and the calls without a result', () => {
    expect(renderTrace(travelTurn().slice(0, -8), { width: 80, glyphs: 'unicode', color: false }).slice(0, 13)).toEqual([
      ' ◐ turn travel-7f3a  not finished after 3.0s of 30s',
      ' INTERRUPTED after 3.0s: the trace has no end of the turn. No result for:',
      ' compare_prices, create_itinerary, email_plan.',
      '                     0s ──────── 1.5s ──────── 3s',
      ' ✔ flight_search     ━━×━━━×━━━━━━━━                  ×3    1.6s  503 ×2',
      '     ⇄ flight_search_backup  why: Attempts exhausted (2 of 2); alternative flig…',
      ' ✔ hotel_search      ×┄┄┄┄┄┄┄┄┄┄┄┄┄━━━━━━             ×2    2.1s  429',
      ' ✘ activity_search   ━━━━━━━━━━━━━━━━━━━━━━━━━━━×           3.0s  timeout',
      '     why: Attempts exhausted (1 of 1)',
      ' ▸ compare_prices                               ━            0ms',
      '     ≈ uses the default for activity_search',
      ' ◌ create_itinerary  not started',
      ' ◌ email_plan        not started',
    ]);
  });

  it('aligns the further lines of long events', () => {
    const lines = renderTrace(travelTurn(), { width: 60, glyphs: 'unicode', color: false });
    const first = lines.findIndex((line) => line.includes('attempt 1 failed: 503'));
    expect(lines.slice(first, first + 4)).toEqual([
      '   +0.321s  flight_search  attempt 1 failed: 503 Service',
      '                           Unavailable (transient,',
      '                           unavailable, rule status:503)',
      '   +0.321s  flight_search  decided retry: Transient error +',
    ]);
  });
});
