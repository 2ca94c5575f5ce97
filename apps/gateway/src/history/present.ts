/**
 * Owns what the history shows of now: tools, latest turns, latest changes and totals.
 *
 * Invariant: overview, lists and what has changed since a cursor are answers of the same folds, so they cannot disagree.
 */
import type { ToolExecutionService } from '@holdfast/core';
import type { Store } from '@holdfast/core/store';
import type { KeptTurn, TurnRecord } from '@holdfast/core/history';
import { wholeHealth } from '../access/client-circuits.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { AlertItem, Overview, ToolTile, Totals, TurnBrief } from '../contract.ts';
import { toIso } from '../plain/iso-time.ts';
import type { Steps } from '../plain/steps.ts';
import type { Changed } from './history.ts';
import type { HistoryRecord } from './record.ts';
import { inOrder, type KnownTool, Tiles } from './tool-tiles.ts';
import { countFiring, totalsOf } from './totals.ts';

export interface PresentOptions {
  readonly service: Pick<ToolExecutionService, 'tools' | 'getToolHealth' | 'getToolSettings'>;
  readonly catalog: Pick<Catalog, 'get'>;
  readonly store?: Pick<Store, 'status'> | undefined;
  /** All current alerts. @default none */
  readonly alerts?: (() => readonly AlertItem[]) | undefined;
  /** The limit of the alert rule for failed calls. @default 0.05 */
  readonly failureLimit?: (() => number) | undefined;
  readonly loginsRequired?: (() => Totals['logins_required']) | undefined;
  /** @default 0 */
  readonly toolsWithheld?: (() => number) | undefined;
}

type FiringByTool = ReadonlyMap<string, readonly AlertItem[]>;

const defaultFailureLimit = 0.05;
const shownTurns = 20;
const shownChanges = 50;
const turnsAtOnce = 50;

export class HistoryPresent {
  readonly #options: PresentOptions;
  readonly #record: HistoryRecord;
  readonly #now: () => number;
  readonly #tiles: Tiles;
  /** Of processes before this one. */
  readonly #earlierTurns: readonly KeptTurn[];
  readonly #startedAt: string;

  constructor(options: PresentOptions, record: HistoryRecord, earlierTurns: readonly KeptTurn[], now: () => number) {
    this.#options = options;
    this.#record = record;
    this.#now = now;
    this.#tiles = new Tiles(record.folds);
    this.#earlierTurns = endedTurns(earlierTurns);
    this.#startedAt = toIso(now());
  }

  /** What happens during the steps may be missing: it is after the cursor. */
  *overview(alerts: readonly AlertItem[]): Steps<Overview> {
    const all = {
      at: toIso(this.#now()),
      cursor: this.#record.sequence.cursor,
      changes: this.#record.changes.latest(shownChanges).toReversed(),
      alerts,
      turns: this.#latestTurns(),
    };
    const totals = yield* this.totals();
    return { ...all, totals: { ...totals, alerts_firing: countFiring(alerts) }, tools: yield* this.tiles() };
  }

  totals(): Steps<Totals> {
    const { folds, kept } = this.#record;
    const now = this.#now();
    return totalsOf({
      ...this.#options,
      now,
      folds,
      kept,
      startedAt: this.#startedAt,
      counts: (name) => this.#tiles.countsOf(name, this.#versionOf(name), now),
    });
  }

  /** Failing ones first, then by name. */
  *tiles(): Steps<readonly ToolTile[]> {
    const tiles: ToolTile[] = [];
    for (const tile of this.eachTile()) {
      tiles.push(tile);
      yield;
    }
    return inOrder(tiles);
  }

  /** One after the other, without an order. */
  *eachTile(): Generator<ToolTile, void> {
    const [now, firing] = [this.#now(), this.#firing()];
    for (const { name } of this.#options.service.tools) {
      const tile = this.#tileAt(name, now, firing);
      if (tile !== undefined) yield tile;
    }
  }

  *#tilesOf(names: readonly string[]): Steps<readonly ToolTile[]> {
    if (names.length === 0) return [];
    const [now, firing, tiles] = [this.#now(), this.#firing(), [] as ToolTile[]];
    for (const name of names) {
      const tile = this.#tileAt(name, now, firing);
      if (tile !== undefined) tiles.push(tile);
      yield;
    }
    return tiles;
  }

  tile(name: string): ToolTile | undefined {
    return this.#tileAt(name, this.#now(), this.#firing());
  }

  forget(name: string): void {
    this.#tiles.forget(name);
  }

  /** Whether changes since then are known. */
  knows(cursor: string): boolean {
    return this.#record.sequence.placeOf(cursor) !== undefined;
  }

  /** What happens during the steps may be missing: it is after the cursor. */
  *changedSince(cursor: string): Steps<Changed> {
    const { sequence, changes } = this.#record;
    const place = sequence.placeOf(cursor);
    if (place === undefined) return yield* this.#everything();
    const since = (things: ReadonlyMap<string, number>): readonly string[] =>
      [...things].filter(([, at]) => at > place).map(([name]) => name);
    const changed = {
      cursor: sequence.cursor,
      removed_tools: since(sequence.removed),
      changes: changes.since(place),
      turns: this.#briefs(since(sequence.turns).slice(-turnsAtOnce)),
    };
    return { ...changed, tools: yield* this.#tilesOf(since(sequence.tools)) };
  }

  *#everything(): Steps<Changed> {
    const all = {
      cursor: this.#record.sequence.cursor,
      reset: true as const,
      removed_tools: [],
      changes: this.#record.changes.latest(shownChanges),
      turns: this.#latestTurns(),
    };
    return { ...all, tools: yield* this.tiles() };
  }

  #tileAt(name: string, at: number, firing: FiringByTool): ToolTile | undefined {
    const tool = this.#knownTool(name, firing.get(name) ?? []);
    return tool && this.#tiles.tileOf(tool, this.#versionOf(name), at);
  }

  #firing(): FiringByTool {
    const firing = (this.#options.alerts?.() ?? []).filter(({ state }) => state === 'firing');
    const byTool = new Map<string, AlertItem[]>();
    for (const alert of firing) byTool.set(alert.tool_id ?? '', [...(byTool.get(alert.tool_id ?? '') ?? []), alert]);
    return byTool;
  }

  #knownTool(name: string, alerts: readonly AlertItem[]): KnownTool | undefined {
    const { service, catalog, failureLimit = () => defaultFailureLimit } = this.#options;
    const health = wholeHealth(service, name);
    if (!health) return undefined;
    const entry = catalog.get(name);
    const hasCircuit = service.getToolSettings(name)?.breaker !== false;
    const source = entry?.source ?? ({ kind: 'tool' } as const);
    return { name, source, isDegraded: entry?.degraded ?? false, health, hasCircuit, alerts, failureLimit: failureLimit() };
  }

  #versionOf(name: string): number {
    return this.#record.sequence.tools.get(name) ?? 0;
  }

  /** A turn that is seen again is shown as it is now. */
  #latestTurns(): readonly TurnBrief[] {
    const { turns } = this.#record.sequence;
    const earlier = this.#earlierTurns.filter(({ turn_id: turnId }) => !turns.has(turnId));
    return [...this.#briefs([...turns.keys()].toReversed()), ...earlier.map(turnBrief)]
      .toSorted((one, other) => Date.parse(other.started_at) - Date.parse(one.started_at))
      .slice(0, shownTurns);
  }

  #briefs(turnIds: readonly string[]): readonly TurnBrief[] {
    return turnIds
      .flatMap((turnId) => this.#record.folds.turn(turnId) ?? [])
      .toSorted((one, other) => other.started_at - one.started_at)
      .map(turnBrief);
  }
}

/** A turn without an end was cut off with its process: it does not run any more. */
function endedTurns(turns: readonly KeptTurn[]): readonly KeptTurn[] {
  return turns.filter(({ ended_at: endedAt }) => endedAt !== undefined).slice(0, shownTurns);
}

function turnBrief({ turn_id, started_at, ended_at, outcome, summary, calls, events, facts }: TurnRecord): TurnBrief {
  return {
    turn_id,
    started_at: toIso(started_at),
    ...(ended_at === undefined ? {} : { ended_at: toIso(ended_at) }),
    state: ended_at === undefined ? 'running' : 'completed',
    ...(outcome === undefined ? {} : { outcome }),
    ...(summary === undefined ? {} : { summary }),
    calls,
    events,
    facts,
  };
}
