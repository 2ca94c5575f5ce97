import { describe, expect, it } from 'vitest';
import { foldTurn } from '@holdfast/core/turn-view';
import { renderExplain } from '../../src/view/explain/explain.ts';
import { travelTurn } from './travel-turn.ts';

const explain = (callId: string): string[] => renderExplain(foldTurn(travelTurn()), callId, { width: 80, glyphs: 'unicode', color: false });

describe('renderExplain', () => {
  it('lists each decision with its inputs, checks, outcome and what would have changed it', () => {
    expect(explain('flight_search')).toEqual([
      ' ✔ flight_search  3 attempts · 2 decisions',
      '',
      ' 1 attempt 1 of flight_search failed  +0.321s',
      '   503 Service Unavailable',
      '   transient unavailable by rule status:503 · attempt 1 of 2 · circuit closed ·',
      '   retry time 0ms of 2s · turn 29.9s left · no alternatives',
      '   partial      – no partial output',
      '   retry        ✔ transient           transient',
      '                ✔ circuit closed      closed',
      '                ✔ safe to repeat      undeclared',
      '                ✔ attempts left       1 below 2',
      '                ✔ retry time left     104ms below 2s',
      '                ✔ turn time left      104ms below 29.9s',
      '   → retry in 104ms',
      '     Transient error + circuit closed + retries available',
      '',
      ' 2 attempt 2 of flight_search failed  +0.725s',
      '   503 Service Unavailable',
      '   transient unavailable by rule status:503 · attempt 2 of 2 · circuit closed ·',
      '   retry time 404ms of 2s · turn 29.3s left · alternatives:',
      '   flight_search_backup available',
      '   partial      – no partial output',
      '   retry        ✔ transient           transient',
      '                ✔ circuit closed      closed',
      '                ✔ safe to repeat      undeclared',
      '                ✘ attempts left       2 not below 2',
      '                ✔ retry time left     611ms below 2s',
      '                ✔ turn time left      207ms below 29.3s',
      '   alternative  ✔ not cancelled                   transient',
      '                ✔ safe to replace                 undeclared',
      '                ✔ flight_search_backup available  circuit closed',
      '   → use_alternative flight_search_backup  stopped by attempts',
      '     Attempts exhausted (2 of 2); alternative flight_search_backup available',
      '     would have been retried with max_attempts > 2',
      '',
      ' Result: success by flight_search_backup after 1.6s',
    ]);
  });

  it('shows a timeout, and that the tool kept running', () => {
    expect(explain('activity_search')).toEqual([
      ' ✘ activity_search  1 attempt · 1 decision',
      '',
      ' 1 attempt 1 of activity_search timed out  +3.001s',
      '   Tool timeout after 3s',
      '   transient timeout by rule tool timeout · attempt 1 of 1 · circuit closed ·',
      '   retry time 0ms of 2s · turn 27.0s left · optional · no alternatives',
      '   partial      – no partial output',
      '   retry        ✔ transient           transient',
      '                ✔ circuit closed      closed',
      '                ✔ safe to repeat      undeclared',
      '                ✘ attempts left       1 not below 1',
      '                ✔ retry time left     104ms below 2s',
      '                ✔ turn time left      104ms below 27s',
      '   → fail  stopped by attempts',
      '     Attempts exhausted (1 of 1)',
      '     would have been retried with max_attempts > 1',
      '',
      ' Result: timeout after 3.0s: Tool timeout after 3s',
      ' The tool kept running after the result (late success).',
    ]);
  });

  it('shows no decisions for a call that never ran', () => {
    expect(explain('create_itinerary')).toEqual([
      ' ⊘ create_itinerary  0 attempts · 0 decisions',
      '',
      '   No decisions: the tool was never called.',
      '',
      ' Optional tool skipped due to dependency failure: activity_search',
    ]);
  });

  it('lists the calls if the given one does not exist', () => {
    expect(explain('flights')).toEqual([
      " No call 'flights' in this turn.",
      ' Calls in this turn: flight_search, hotel_search, activity_search,',
      ' compare_prices, create_itinerary, email_plan',
    ]);
  });
});
