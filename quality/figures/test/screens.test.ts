/** The dashboard's screens of 200 turns in 30 outages: every figure equals what is computed by hand from the events. */
import { join } from 'node:path';
import type { Overview } from '@holdfast/gateway/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Observed, observeScene, total } from './observe.ts';

const root = join(import.meta.dirname, '../../..');

let observed: Observed;

beforeAll(async () => {
  observed = await observeScene();
}, 120_000);
afterAll(async () => {
  await observed?.scene[Symbol.asyncDispose]();
});

type View = (...args: readonly unknown[]) => unknown;

/** The dashboard publishes no code: its view functions are read where they are. */
async function screen(path: string, name: string): Promise<View> {
  const module_ = (await import(join(root, 'apps/dashboard/src/screens', path))) as Readonly<Record<string, View>>;
  const view = module_[name];
  if (view === undefined) throw new Error(`${path} has no ${name}`);
  return view;
}

describe("the dashboard's screens", () => {
  test('a turn: its figures, its ledger', async () => {
    const { calls, details, handTurn } = observed;
    const createTurnEvents = await screen('turn/turn-events.model.ts', 'createTurnEvents');
    const turnStats = await screen('turn/stats.model.ts', 'turnStats');
    const buildLedger = await screen('turn/ledger/ledger.model.ts', 'buildLedger');
    const findCriticalPath = await screen('turn/waterfall/critical-path.model.ts', 'findCriticalPath');
    for (const [id, { events }] of details) {
      const own = handTurn(id);
      const fold = createTurnEvents() as { append(events: unknown): void; view(): { readonly escalated: boolean } };
      fold.append(events);
      const view = fold.view();
      expect([id, view.escalated]).toEqual([id, own.isEscalated]);
      const stats = turnStats(view, 0, 'completed') as readonly {
        readonly name: string;
        readonly value: string;
        readonly detail?: string;
      }[];
      const shown = Object.fromEntries(stats.map(({ name, value, detail }) => [name, { value, detail: detail ?? '' }]));
      expect([id, shown['Calls']?.value, shown['Attempts']?.value]).toEqual([id, String(own.counts.calls), String(own.attempts)]);
      const inDetail = (what: string): number => Number(new RegExp(`(\\d+) ${what}`).exec(shown['Calls']?.detail ?? '')?.[1] ?? 0);
      const fellBack = calls.filter(
        (call) => call.turnId === id && call.outcome === 'recovered' && call.completed['status'] !== 'success',
      ).length;
      expect([id, inDetail('succeeded')]).toEqual([id, own.counts.first_try + own.counts.recovered - fellBack]);
      expect([id, inDetail('answered by a fallback')]).toEqual([id, fellBack]);
      expect([id, inDetail('failed')]).toEqual([id, own.counts.failed + own.counts.rejected]);
      expect([id, inDetail('skipped') + inDetail('not run')]).toEqual([id, own.counts.skipped]);
      const retries = Number(/^(\d+)/.exec(shown['Attempts']?.detail ?? '')?.[1] ?? 0);
      expect([id, retries]).toEqual([id, own.retries]);
      const ledger = buildLedger(view, findCriticalPath(view)) as {
        readonly durationMs: number;
        readonly turn: Record<string, number>;
        readonly all: Record<string, number>;
      };
      expect(total(Object.values(ledger.turn))).toBeCloseTo(ledger.durationMs, 3);
      const work = calls.filter((call) => call.turnId === id).flatMap((call) => call.attempts);
      const didWork = work.some(({ outcome, durationMs = 0 }) => outcome === 'success' && durationMs > 0);
      expect([id, (ledger.all['workMs'] ?? 0) > 0]).toEqual([id, didWork]);
      for (const [entry, wait] of [
        ['hintMs', 'retry_after'],
        ['slotMs', 'concurrency'],
      ] as const)
        expect([id, entry, ledger.all[entry] ?? 0]).toEqual([id, entry, expect.closeTo(own.waitedMs[wait] ?? 0, 2)]);
    }
  });

  test('the overview, the list of turns, the alerts', async () => {
    const { scene, turns, hand, handTurn } = observed;
    const overview = await scene.get<Overview>('/v1/overview');
    const summarizeFiring = await screen('overview/firing-alerts.model.ts', 'summarizeFiring');
    const firingCount = await screen('alerts/alerts.model.ts', 'firingCount');
    const groupsOf = await screen('alerts/alerts.model.ts', 'groupsOf');
    const troubleOf = await screen('turns/turn-list.model.ts', 'troubleOf');
    const troubleText = await screen('overview/tiles.model.ts', 'troubleText');
    expect(firingCount(overview.alerts)).toBe(overview.totals.alerts_firing);
    const groups = groupsOf(overview.alerts) as readonly { readonly title: string; readonly alerts: readonly unknown[] }[];
    expect(total(groups.filter(({ title }) => title.startsWith('Firing')).map(({ alerts }) => alerts.length))).toBe(
      overview.totals.alerts_firing,
    );
    const { loud, quiet } = summarizeFiring(overview.alerts, overview.tools) as {
      readonly loud: readonly { readonly alert: { readonly tool_id?: string }; readonly others: number; readonly lost: number }[];
      readonly quiet: number;
    };
    expect(total(loud.map(({ others }) => others + 1)) + quiet).toBe(overview.totals.alerts_firing);
    for (const { alert, lost } of loud.filter((group) => group.alert.tool_id !== undefined))
      expect(lost).toBe(hand(alert.tool_id ?? '').failure.part);
    for (const tile of overview.tools) {
      const lost = Number(/^(\d+)/.exec(String(troubleText(tile)))?.[1] ?? 0);
      expect([tile.name, lost]).toEqual([tile.name, hand(tile.name).failure.part]);
    }
    for (const turn of turns) {
      const own = handTurn(turn.turn_id);
      const notes = (troubleOf(turn) as readonly string[]).join(', ').replaceAll('\u00A0', ' ');
      const failed = own.counts.failed + own.counts.rejected;
      expect([turn.turn_id, notes.includes(' failed')]).toEqual([turn.turn_id, failed > 0]);
      const retries = /(\d+) retr/.exec(notes)?.[1] ?? '0';
      expect([turn.turn_id, Number(retries)]).toEqual([turn.turn_id, own.retries]);
    }
  });
});
