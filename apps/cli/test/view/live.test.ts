import { describe, expect, it } from 'vitest';
import { foldTurn } from '@holdfast/core/turn-view';
import type { GlyphSet } from '../../src/view/text/cell.ts';
import { renderLive } from '../../src/view/live/frame.ts';
import { travelTurnUntil } from './travel-turn.ts';

interface Screen {
  readonly width: number;
  readonly height?: number;
  readonly glyphs?: GlyphSet;
  readonly color?: boolean;
}

const frame = (atMs: number, { width, height = 24, glyphs = 'unicode', color = false }: Screen): string[] =>
  renderLive(foldTurn(travelTurnUntil(atMs)), { width, height, glyphs, color, nowMs: atMs });

describe('the live frame', () => {
  it('shows attempts, a Retry-After, and dependencies', () => {
    expect(frame(1200, { width: 80, glyphs: 'unicode' })).toEqual([
      ' ▸ turn travel-7f3a  ━╸──────────────────────────────────────  28.8s left of 30s',
      '                     0s ───────── 1s ───────── 2s',
      ' ▸ flight_search     ━━━━×━━━━━×━━━━━━                ×3    1.2s  503 ×2',
      '     ⇄ flight_search_backup  why: Attempts exhausted (2 of 2); alternative flig…',
      ' ↻ hotel_search      ━×┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄               1/5    1.2s  429',
      '     retry in 391ms  why: Retry-After 1.5s; Transient error + circuit closed +…',
      ' ▸ activity_search   ━━━━━━━━━━━━━━━━━                      1.2s',
      ' ◌ compare_prices    waiting for flight_search, hotel_search, activity_search',
      ' ◌ create_itinerary  waiting for activity_search',
      ' ◌ email_plan        waiting for create_itinerary',
      '',
      ' 6 calls · 3 running · 3 waiting · 1 retry · 1 alternative',
    ]);
  });

  it('shows defaults, skipped calls with their cause, and work after a timeout', () => {
    expect(frame(3100, { width: 80, glyphs: 'unicode' })).toEqual([
      ' ▸ turn travel-7f3a  ━━━━────────────────────────────────────  26.9s left of 30s',
      '                     0s ──────── 2.5s ──────── 5s',
      ' ✔ flight_search     ━×━━×━━━━                        ×3    1.6s  503 ×2',
      '     ⇄ flight_search_backup  why: Attempts exhausted (2 of 2); alternative flig…',
      ' ✔ hotel_search      ×┄┄┄┄┄┄┄━━━━                     ×2    2.1s  429',
      '     why: Retry-After 1.5s; Transient error + circuit closed + retries available',
      ' ✘ activity_search   ━━━━━━━━━━━━━━━━×                      3.0s  timeout',
      '     why: Attempts exhausted (1 of 1)',
      ' ▸ compare_prices                    ━╸                     98ms',
      '     ≈ uses the default for activity_search',
      ' ⊘ create_itinerary  skipped: needs activity_search',
      ' ⊘ email_plan        skipped: needs create_itinerary',
      '     because create_itinerary → activity_search',
      '',
      ' 6 calls · 2 ok · 1 timed out · 2 skipped · 1 running · 2 retries',
    ]);
  });

  it('uses longer bars and full reasons on a wide screen', () => {
    expect(frame(1200, { width: 120, glyphs: 'unicode' })).toEqual([
      ' ▸ turn travel-7f3a  ━━━─────────────────────────────────────────────────────────────────────────────  28.8s left of 30s',
      '                     0s ──────────────────────── 1s ──────────────────────── 2s',
      ' ▸ flight_search     ━━━━━━━━━×┄┄━━━━━━━━━×━━━━━━━━━━━━━                            ×3    1.2s  503 ×2',
      '     ⇄ flight_search_backup  why: Attempts exhausted (2 of 2); alternative flight_search_backup available',
      ' ↻ hotel_search      ━━×┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄                           1/5    1.2s  429',
      '     retry in 391ms  why: Retry-After 1.5s; Transient error + circuit closed + retries available',
      ' ▸ activity_search   ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━                                  1.2s',
      ' ◌ compare_prices    waiting for flight_search, hotel_search, activity_search',
      ' ◌ create_itinerary  waiting for activity_search',
      ' ◌ email_plan        waiting for create_itinerary',
      '',
      ' 6 calls · 3 running · 3 waiting · 1 retry · 1 alternative',
    ]);
  });

  it('shows attempts and errors below the row on a narrow screen', () => {
    expect(frame(1200, { width: 40, glyphs: 'unicode' })).toEqual([
      ' ▸ turn travel-7f3a  ───────  28.8s left',
      '                    0s ────── 2s',
      ' ▸ flight_search    ━×━━×━━╸        1.2s',
      '     ×3 · 503 ×2',
      '     ⇄ flight_search_backup',
      '     why: Attempts exhausted (2 of 2);…',
      ' ↻ hotel_search     ×┄┄┄┄┄┄┄        1.2s',
      '     1/5 · 429',
      '     retry in 391ms',
      '     why: Retry-After 1.5s; Transient e…',
      ' ▸ activity_search  ━━━━━━━╸        1.2s',
      ' ◌ compare_prices   waiting for flight_…',
      ' ◌ create_itinerary waiting for activit…',
      ' ◌ email_plan       waiting for create_…',
      '',
      ' 6 calls · 3 running · 3 waiting',
    ]);
  });

  it('renders in ASCII', () => {
    expect(frame(1200, { width: 80, glyphs: 'ascii' })).toEqual([
      ' > turn travel-7f3a  =>--------------------------------------  28.8s left of 30s',
      '                     0s --------- 1s --------- 2s',
      ' > flight_search     ====x=====x=====>                x3    1.2s  503 x2',
      '     => flight_search_backup  why: Attempts exhausted (2 of 2); alternative fl..',
      ' ~ hotel_search      =x---------------               1/5    1.2s  429',
      '     retry in 391ms  why: Retry-After 1.5s; Transient error + circuit closed +..',
      ' > activity_search   ================>                      1.2s',
      ' . compare_prices    waiting for flight_search, hotel_search, activity_search',
      ' . create_itinerary  waiting for activity_search',
      ' . email_plan        waiting for create_itinerary',
      '',
      ' 6 calls - 3 running - 3 waiting - 1 retry - 1 alternative',
    ]);
  });

  it('shows only names and times on a very narrow screen', () => {
    expect(frame(1200, { width: 30, glyphs: 'unicode' })).toEqual([
      ' ▸ turn travel-…  28.8s left',
      '',
      ' ▸ flight_search          1.2s',
      '     ×3 · 503 ×2',
      '     ⇄ flight_search_backup',
      '     why: Attempts exhausted…',
      ' ↻ hotel_search           1.2s',
      '     1/5 · 429',
      '     retry in 391ms',
      '     why: Retry-After 1.5s; T…',
      ' ▸ activity_search        1.2s',
      ' ◌ compare_prices',
      ' ◌ create_itinerary',
      ' ◌ email_plan',
      '',
      ' 6 calls · 3 running',
    ]);
  });

  it('drops reasons of finished calls before rows', () => {
    expect(frame(3100, { width: 80, glyphs: 'unicode', height: 14 })).toEqual([
      ' ▸ turn travel-7f3a  ━━━━────────────────────────────────────  26.9s left of 30s',
      '                     0s ──────── 2.5s ──────── 5s',
      ' ✔ flight_search     ━×━━×━━━━                        ×3    1.6s  503 ×2',
      '     ⇄ flight_search_backup  why: Attempts exhausted (2 of 2); alternative flig…',
      ' ✔ hotel_search      ×┄┄┄┄┄┄┄━━━━                     ×2    2.1s  429',
      ' ✘ activity_search   ━━━━━━━━━━━━━━━━×                      3.0s  timeout',
      '     why: Attempts exhausted (1 of 1)',
      ' ▸ compare_prices                    ━╸                     98ms',
      '     ≈ uses the default for activity_search',
      ' ⊘ create_itinerary  skipped: needs activity_search',
      ' ⊘ email_plan        skipped: needs create_itinerary',
      '     because create_itinerary → activity_search',
      '',
      ' 6 calls · 2 ok · 1 timed out · 2 skipped · 1 running · 2 retries',
    ]);
  });

  it('collapses rows that do not fit, finished calls first', () => {
    expect(frame(2200, { width: 80, glyphs: 'unicode', height: 8 })).toEqual([
      ' ▸ turn travel-7f3a  ━━╸─────────────────────────────────────  27.8s left of 30s',
      '                     0s ──────── 1.5s ──────── 3s',
      ' ▸ activity_search   ━━━━━━━━━━━━━━━━━━━━━                  2.2s',
      ' ◌ compare_prices    waiting for flight_search, hotel_search, activity_search',
      ' ◌ create_itinerary  waiting for activity_search',
      ' … 3 more: 1 waiting, 2 ok',
      '',
      ' 6 calls · 2 ok · 1 running · 3 waiting · 2 retries · 1 alternative',
    ]);
  });

  it('resets every colour on the same line', () => {
    expect(frame(1200, { width: 40, color: true }).slice(0, 4)).toEqual([
      ' \u001B[36m▸\u001B[39m \u001B[1mturn travel-7f3a\u001B[22m  \u001B[2m───────\u001B[22m  28.8s left',
      '                    \u001B[2m0s\u001B[22m \u001B[2m──────\u001B[22m \u001B[2m2s\u001B[22m',
      ' \u001B[36m▸\u001B[39m flight_search    \u001B[31m━×━━×\u001B[39m\u001B[36m━━╸\u001B[39m        \u001B[36m1.2s\u001B[39m',
      '     \u001B[33m×3 · 503 ×2\u001B[39m',
    ]);
  });

  it('keeps rows in place while the turn runs', () => {
    const rowOf = (atMs: number): readonly number[] =>
      ['flight_search', 'hotel_search', 'activity_search'].map((name) =>
        frame(atMs, { width: 80 }).findIndex((line) => line.includes(` ${name}  `)),
      );
    expect(rowOf(1200)).toEqual([2, 4, 6]);
    expect(rowOf(2200)).toEqual([2, 4, 6]);
  });
});
