/**
 * Owns the tools of the overview: each is built from its recent calls, its health and its source, and rebuilt only after a change.
 */
import type { CellCounts, History as Folds } from '@holdfast/core/history';
import { emptyCounts, recentStepMs } from '@holdfast/core/internal';
import { isRefused, type WholeHealth } from '../access/client-circuits.ts';
import type { AlertItem, FailurePointer, Latencies, RecentBucket, ToolSource, ToolStatus, ToolTile } from '../contract.ts';
import { toIso } from '../plain/iso-time.ts';
import { failureShare, retrySuccess, toCallCounts } from './describe-counts.ts';
import { statusOf } from './status.ts';

/** The data of a tool that a tile is built from. */
export interface KnownTool {
  readonly name: string;
  readonly source: ToolSource;
  readonly isDegraded: boolean;
  readonly health: WholeHealth;
  readonly hasCircuit: boolean;
  /** Alerts about the tool that fire. */
  readonly alerts: readonly AlertItem[];
  readonly failureLimit: number;
}

/** The sums of recent calls, which are cached because they are expensive. */
interface Past {
  readonly version: number;
  readonly step: number;
  readonly counts: CellCounts;
  readonly latency: Latencies | undefined;
  readonly recent: readonly RecentBucket[];
}

const shownSteps = 24;

export class Tiles {
  readonly #folds: Folds;
  readonly #pasts = new Map<string, Past>();
  /** Since when tools are neither ok nor idle, milliseconds since 1970. */
  readonly #trouble = new Map<string, number>();

  constructor(folds: Folds) {
    this.#folds = folds;
  }

  /** `version` changes whenever something was counted for the tool. */
  tileOf({ name, source, isDegraded, health, hasCircuit, alerts, failureLimit }: KnownTool, version: number, now: number): ToolTile {
    const past = this.#pastOf(name, version, now);
    const { mode, retryAfterMs, heldMs, inFlight, orphaned, queued } = health;
    const clients = hasCircuit ? health.clients.filter(isRefused).map(({ client }) => client) : [];
    const circuit = hasCircuit ? health.circuit : null;
    const lastFailure: FailurePointer | undefined = this.#folds.lastFailure(name);
    const status = statusOf({ counts: past.counts, circuit, mode, retryAfterMs, heldMs, isDegraded, alerts, failureLimit, clients });
    const since = this.#troubleSince(name, status.status, alerts, now);
    return {
      name,
      source,
      ...status,
      ...(since === undefined ? {} : { trouble_since: toIso(since) }),
      degraded: isDegraded,
      circuit,
      mode,
      ...(clients.length === 0 ? {} : { client_circuits_open: clients.length }),
      ...(retryAfterMs === undefined ? {} : { retry_after_ms: retryAfterMs }),
      ...(heldMs === undefined ? {} : { held_until: toIso(now + heldMs) }),
      in_flight: inFlight,
      orphaned,
      queued,
      counts: toCallCounts(past.counts),
      failure: failureShare(past.counts),
      retry_success: retrySuccess(past.counts),
      ...(past.latency ? { latency: past.latency } : {}),
      recent: past.recent,
      recent_until: toIso((past.step + 1) * recentStepMs),
      ...(lastFailure ? { last_failure: { ...lastFailure } } : {}),
    };
  }

  countsOf(name: string, version: number, now: number): CellCounts {
    return this.#pastOf(name, version, now).counts;
  }

  forget(name: string): void {
    this.#pasts.delete(name);
    this.#trouble.delete(name);
  }

  /** An alert may have begun before this process did. */
  #troubleSince(name: string, status: ToolStatus, alerts: readonly AlertItem[], now: number): number | undefined {
    if (status === 'ok' || status === 'idle') {
      this.#trouble.delete(name);
      return undefined;
    }
    const begins = alerts.map(({ active_since: at }) => Date.parse(at));
    const since = Math.min(now, ...begins, this.#trouble.get(name) ?? now);
    this.#trouble.set(name, since);
    return since;
  }

  #pastOf(name: string, version: number, now: number): Past {
    const step = Math.floor(now / recentStepMs);
    const known = this.#pasts.get(name);
    if (known?.version === version && known.step === step) return known;
    const counts = this.#folds.countsOf(name, now);
    // Most of thousands of tools have done nothing.
    const isIdle = Object.values(counts).every((count) => count === 0);
    const past = isIdle
      ? { version, step, counts: idle, latency: undefined, recent: quiet }
      : { version, step, counts, latency: this.#latencyOf(name, now), recent: this.#recentOf(name, now) };
    this.#pasts.set(name, past);
    return past;
  }

  #latencyOf(name: string, now: number): Latencies | undefined {
    const sketch = this.#folds.latenciesOf(name, now);
    if (sketch.count === 0) return undefined;
    const at = (q: number): number => sketch.quantile(q) ?? 0;
    return { p50_ms: at(0.5), p95_ms: at(0.95), p99_ms: at(0.99), mean_ms: sketch.sum / sketch.count };
  }

  #recentOf(name: string, now: number): readonly RecentBucket[] {
    return this.#folds
      .lastSteps(name, now, shownSteps)
      .map((counts) => (counts ? [counts.first_try, counts.recovered, counts.failed] : nothing));
  }
}

const nothing: RecentBucket = [0, 0, 0];
const idle: CellCounts = emptyCounts();
const quiet: readonly RecentBucket[] = Array.from({ length: shownSteps }, () => nothing);

const ranks: Readonly<Record<ToolStatus, number>> = { failing: 0, recovering: 1, degraded: 2, ok: 3, idle: 3 };

/** Failing tools first, then by name. */
export function inOrder(tiles: readonly ToolTile[]): readonly ToolTile[] {
  return tiles.toSorted((one, other) => ranks[one.status] - ranks[other.status] || (one.name < other.name ? -1 : 1));
}
