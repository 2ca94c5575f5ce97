import { describe, expect, it } from 'vitest';
import { foldTurn } from '@holdfast/core/turn-view';
import { renderSummary } from '../../src/view/summary/summary.ts';
import { travelTurn } from './travel-turn.ts';

describe('renderSummary', () => {
  it('shows waterfall, results, summary and numbers', () => {
    expect(renderSummary(foldTurn(travelTurn()), { width: 80, glyphs: 'unicode', color: false })).toEqual([
      ' ◐ turn travel-7f3a  partial in 3.5s of 30s',
      '                     0s ──────── 1.7s ────── 3.5s',
      ' ✔ flight_search     ━━×━━×━━━━━━━                    ×3    1.6s  503 ×2',
      '     ⇄ flight_search_backup  why: Attempts exhausted (2 of 2); alternative flig…',
      ' ✔ hotel_search      ×┄┄┄┄┄┄┄┄┄┄┄━━━━━                ×2    2.1s  429',
      ' ✘ activity_search   ━━━━━━━━━━━━━━━━━━━━━━━━×···           3.0s  timeout',
      '     why: Attempts exhausted (1 of 1)',
      '     ⋯ finished late; result not used',
      ' ✔ compare_prices                            ━━━━          483ms',
      '     ≈ uses the default for activity_search',
      ' ⊘ create_itinerary  skipped: needs activity_search',
      ' ⊘ email_plan        skipped: needs create_itinerary',
      '     because create_itinerary → activity_search',
      '',
      ' call              status       served by             attempts   time  error',
      ' flight_search     ok           flight_search_backup         3   1.6s',
      ' hotel_search      ok           hotel_search                 2   2.1s',
      ' activity_search   timed out    activity_search              1   3.0s',
      '     Tool timeout after 3s (stopped by attempts)',
      ' compare_prices    ok, default  compare_prices               1  483ms',
      ' create_itinerary  skipped',
      ' email_plan        skipped',
      '',
      ' Completed flight search, hotel search and compare prices, but activity search',
      ' timed out',
      '',
      ' 6 calls · 3 ok · 1 timed out · 2 skipped · 2 retries · 1 alternative',
      ' 1 default · 1 orphaned',
      ' 7 attempts · 5.6s in attempts · 1.6s waiting · 1 of 1 retried call recovered',
      ' critical path: activity_search → compare_prices',
    ]);
  });

  it('shows errors next to the results on a wide screen', () => {
    expect(renderSummary(foldTurn(travelTurn()), { width: 120, glyphs: 'unicode', color: false }).slice(14, 21)).toEqual([
      ' call              status       served by             attempts   time  error',
      ' flight_search     ok           flight_search_backup         3   1.6s',
      ' hotel_search      ok           hotel_search                 2   2.1s',
      ' activity_search   timed out    activity_search              1   3.0s  Tool timeout after 3s (stopped by attempts)',
      ' compare_prices    ok, default  compare_prices               1  483ms',
      ' create_itinerary  skipped                                             needs activity_search',
      ' email_plan        skipped                                             needs create_itinerary',
    ]);
  });

  it('keeps call, status and time on a narrow screen in ASCII', () => {
    expect(renderSummary(foldTurn(travelTurn()), { width: 40, glyphs: 'ascii', color: false })).toEqual([
      ' * turn travel-7f3a  partial in 3.5s',
      '                    0s ---- 3.5s',
      ' + flight_search    =xx===          1.6s',
      '     x3 - 503 x2',
      '     => flight_search_backup',
      '     why: Attempts exhausted (2 of 2);..',
      ' + hotel_search     x----===        2.1s',
      '     x2 - 429',
      ' x activity_search  ==========x.    3.0s',
      '     timeout',
      '     why: Attempts exhausted (1 of 1)',
      '     .. finished late; result not used',
      ' + compare_prices             ==   483ms',
      '     := uses the default for activity_..',
      ' - create_itinerary skipped: needs act..',
      ' - email_plan       skipped: needs cre..',
      '     because create_itinerary -> activ..',
      '',
      ' call              status        time',
      ' flight_search     ok            1.6s',
      ' hotel_search      ok            2.1s',
      ' activity_search   timed out     3.0s',
      ' compare_prices    ok, default  483ms',
      ' create_itinerary  skipped',
      ' email_plan        skipped',
      '',
      ' Completed flight search, hotel search',
      ' and compare prices, but activity',
      ' search timed out',
      '',
      ' 6 calls - 3 ok - 1 timed out',
      ' 2 skipped - 2 retries - 1 alternative',
      ' 1 default - 1 orphaned',
      ' 7 attempts - 5.6s in attempts',
      ' 1.6s waiting',
      ' 1 of 1 retried call recovered',
      ' critical path: activity_search -> com..',
    ]);
  });
});
