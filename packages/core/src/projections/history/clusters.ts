/**
 * Owns clusters of similar failures: how many, since when, which strategies were tried and how the calls ended.
 *
 * Invariants
 * 1. A failure is in one cluster; the same message of the same tool and code is always in the same one.
 * 2. Bounded: the clusters with the oldest failures are evicted first, and each keeps a fixed number of examples and hours.
 */
import type { Mutable } from '../../engine/plain/mutable.ts';
import type { CallCompleted, TraceEvent } from '../../engine/trace/events.ts';
import { BoundedMap } from './bounded-map.ts';
import { endingOf } from './cell-fold.ts';
import { differenceSince, maxExamples, maxHours } from './merge-clusters.ts';
import type { ClusterRecord, FailureRecord, StrategyCount } from './records.ts';
import { patternOf, signatureOf } from './failure-signature.ts';
import type { TrackedCall, TrackedEvent } from './open-turns.ts';

type ToolError = Extract<TraceEvent, { event_type: 'ToolError' }>;

type Cluster = Mutable<Omit<ClusterRecord, 'hours' | 'strategies' | 'examples'>> & {
  readonly hours: Record<string, number>;
  readonly strategies: Map<string, Mutable<StrategyCount>>;
  readonly examples: FailureRecord[];
};

/** How a call recovers from its failures so far. */
interface CallRecovery {
  readonly clusters: Set<Cluster>;
  /** The strategy that is being tried; its outcome is not known yet. */
  trying: { readonly cluster: Cluster; readonly strategy: string } | undefined;
  latest: Cluster | undefined;
}

export interface ClusterFoldOptions {
  readonly maxClusters: number;
  /** Clusters from an earlier run. */
  readonly known?: Iterable<ClusterRecord>;
}

export interface ClusteredFailure {
  /** Changes until its call ends. */
  readonly failure: FailureRecord;
  readonly pattern: string;
  /** Whether it started a new cluster. */
  readonly isNew: boolean;
}

const hourMs = 3_600_000;
const maxCachedPatterns = 2_000;
const maxPerCall = 20;
const maxTextLength = 500;

export class ClusterFold {
  readonly #clusters: BoundedMap<Cluster>;
  readonly #patterns = new BoundedMap<string>(maxCachedPatterns);
  readonly #calls = new WeakMap<TrackedCall, CallRecovery>();
  /** State at the last `take`, without the examples. */
  readonly #taken = new WeakMap<Cluster, ClusterRecord>();
  /** Signatures of the clusters that changed since the last `take`. */
  readonly #changed: BoundedMap<true>;
  #isRecalling = false;

  constructor({ maxClusters, known = [] }: ClusterFoldOptions) {
    this.#clusters = new BoundedMap(maxClusters);
    this.#changed = new BoundedMap(maxClusters);
    for (const record of known) {
      const cluster = fromRecord(record);
      this.#clusters.set(record.signature, cluster);
      this.#taken.set(cluster, { ...record, examples: [] });
    }
  }

  /** Processes an event that was counted before: keeps only what the rest of its call needs. */
  recall(seen: TrackedEvent): void {
    this.#isRecalling = true;
    this.observe(seen);
    this.#isRecalling = false;
  }

  /** Returns the record of a failure and its cluster's pattern; undefined for other events. */
  observe({ event, at, call }: TrackedEvent): ClusteredFailure | undefined {
    switch (event.event_type) {
      case 'ToolError':
        return this.#recordFailure(event, at, call);
      case 'RecoveryDecided':
        if (call) this.#recordDecision(event, call);
        return undefined;
      case 'ToolSucceeded':
        if (call) this.#settle(call, event.tool_id === call.toolName ? 'retry' : 'use_alternative', true);
        return undefined;
      case 'CallRefused':
        if (call) this.#settle(call, 'retry', false);
        return undefined;
      case 'CallCompleted':
        if (call) this.#recordEnd(event, call);
        return undefined;
      default:
        return undefined;
    }
  }

  /** Returns the additions to the clusters that changed since the last `take`: at most `limit` clusters, the others wait. */
  take(limit: number): readonly ClusterRecord[] {
    const taken: ClusterRecord[] = [];
    for (const signature of this.#changed.keys()) {
      if (taken.length === limit) break;
      this.#changed.delete(signature);
      const cluster = this.#clusters.get(signature);
      if (!cluster) continue;
      const record = toRecord(cluster);
      taken.push(differenceSince(this.#taken.get(cluster), record));
      this.#taken.set(cluster, { ...record, examples: [] });
    }
    return taken;
  }

  all(): readonly ClusterRecord[] {
    return [...this.#clusters.values()].map(toRecord);
  }

  get(signature: string): ClusterRecord | undefined {
    const cluster = this.#clusters.get(signature);
    return cluster && toRecord(cluster);
  }

  #recordFailure(event: ToolError, at: number, call: TrackedCall | undefined): ClusteredFailure {
    const pattern = this.#patternOf(event);
    const signature = signatureOf(event.tool_id, event.code, pattern);
    const isNew = this.#clusters.get(signature) === undefined;
    const cluster = this.#clusters.touch(signature, () => createCluster(event, signature, pattern, at));
    const failure: Mutable<FailureRecord> = {
      at: event.timestamp,
      turn_id: event.turn_id,
      call_id: event.call_id,
      attempt: event.attempt,
      code: event.code,
      message: event.error.slice(0, maxTextLength),
      signature,
    };
    this.#change(cluster, () => count(cluster, failure, at));
    if (call) {
      this.#settle(call, 'retry', false);
      const recovery = this.#recoveryOf(call);
      if (recovery.clusters.size < maxPerCall) recovery.clusters.add(cluster);
      recovery.latest = cluster;
      const tracked = { toolName: event.tool_id, failure };
      // The latest ones: only they can be among the examples of a cluster.
      if (call.failures.push(tracked) > maxPerCall) call.failures.shift();
    }
    return { failure, isNew, pattern };
  }

  #change(cluster: Cluster, change: () => void): void {
    if (this.#isRecalling) return;
    change();
    this.#changed.touch(cluster.signature, isChanged);
  }

  #patternOf({ code, error }: ToolError): string {
    // The model invented the name.
    if (code === 'UNKNOWN_TOOL') return 'Unknown tool: <name>';
    return this.#patterns.touch(error.slice(0, maxTextLength), () => patternOf(error));
  }

  #recoveryOf(call: TrackedCall): CallRecovery {
    const known = this.#calls.get(call);
    if (known) return known;
    const recovery: CallRecovery = { clusters: new Set(), trying: undefined, latest: undefined };
    this.#calls.set(call, recovery);
    return recovery;
  }

  #recordDecision(
    { decision: { action, stopped_by }, inputs }: Extract<TraceEvent, { event_type: 'RecoveryDecided' }>,
    call: TrackedCall,
  ): void {
    const recovery = this.#calls.get(call);
    const cluster = recovery?.latest;
    if (!recovery || !cluster) return;
    if (action === 'fail' || action === 'skip' || action === 'escalate') {
      const failure = call.failures.at(-1)?.failure;
      const stoppedBy = stopped_by ?? (inputs.classification === 'permanent' ? 'not_retryable' : undefined);
      if (failure && stoppedBy !== undefined) failure.stopped_by = stoppedBy;
      return;
    }
    if (action === 'use_alternative') this.#settle(call, action, false);
    // The output is already there, so these strategies cannot fail.
    const isCertain = action === 'use_default' || action === 'accept_partial';
    this.#change(cluster, () => {
      const counts = strategyOf(cluster, action);
      counts.tried += 1;
      if (isCertain) counts.succeeded += 1;
    });
    if (!isCertain) recovery.trying = { cluster, strategy: action };
  }

  /** Records whether the pending strategy worked. A failed alternative may be retried, so only the end of its call or another alternative settles it. */
  #settle(call: TrackedCall, strategy: 'retry' | 'use_alternative', succeeded: boolean): void {
    const recovery = this.#calls.get(call);
    const trying = recovery?.trying;
    if (!recovery || !trying) return;
    if (!succeeded && trying.strategy !== strategy) return;
    recovery.trying = undefined;
    this.#change(trying.cluster, () => {
      if (succeeded) strategyOf(trying.cluster, trying.strategy).succeeded += 1;
    });
  }

  #recordEnd(event: CallCompleted, call: TrackedCall): void {
    const recovery = this.#calls.get(call);
    if (!recovery) return;
    const ending = endingOf(event, call);
    const isLost = ending === 'failed' || ending === 'rejected';
    const ended = isLost ? 'failed' : ending === 'cancelled' ? 'cancelled' : 'recovered';
    for (const cluster of recovery.clusters) {
      this.#change(cluster, () => {
        if (ended === 'failed') cluster.calls_failed += 1;
        if (ended === 'recovered') cluster.calls_recovered += 1;
      });
    }
    for (const { failure } of call.failures) {
      failure.call_ended = ended;
      if (!isLost) delete failure.stopped_by;
    }
    const last = call.failures.at(-1)?.failure;
    if (isLost && last && event.stopped_by !== undefined) last.stopped_by = event.stopped_by;
  }
}

const isChanged = (): true => true;

function createCluster(event: ToolError, signature: string, pattern: string, at: number): Cluster {
  const { tool_id: tool, code, category, classification } = event;
  return {
    signature,
    tool_id: tool,
    code,
    category,
    classification,
    pattern,
    sample: event.error.slice(0, maxTextLength),
    count: 0,
    first_seen: at,
    last_seen: at,
    hours: {},
    strategies: new Map(),
    calls_recovered: 0,
    calls_failed: 0,
    examples: [],
  };
}

function count(cluster: Cluster, failure: FailureRecord, at: number): void {
  cluster.count += 1;
  cluster.sample = failure.message;
  cluster.last_seen = Math.max(cluster.last_seen, at);
  const hour = String(Math.floor(at / hourMs));
  cluster.hours[hour] = (cluster.hours[hour] ?? 0) + 1;
  // Integer keys of an object come first, in ascending order.
  const hours = Object.keys(cluster.hours);
  if (hours.length > maxHours && hours[0] !== undefined) delete cluster.hours[hours[0]];
  // The newest first: failures of several turns can arrive out of order.
  const place = cluster.examples.findIndex((each) => each.at <= failure.at);
  cluster.examples.splice(place < 0 ? cluster.examples.length : place, 0, failure);
  if (cluster.examples.length > maxExamples) cluster.examples.pop();
}

function strategyOf({ strategies }: Cluster, strategy: string): Mutable<StrategyCount> {
  const known = strategies.get(strategy) ?? { strategy, tried: 0, succeeded: 0 };
  strategies.set(strategy, known);
  return known;
}

function toRecord({ hours, strategies, examples, ...rest }: Cluster): ClusterRecord {
  return {
    ...rest,
    hours: { ...hours },
    strategies: [...strategies.values()].map((each) => ({ ...each })),
    examples: examples.map((each) => ({ ...each })),
  };
}

function fromRecord({ hours, strategies, examples, ...rest }: ClusterRecord): Cluster {
  return {
    ...rest,
    hours: { ...hours },
    strategies: new Map(strategies.map((each) => [each.strategy, { ...each }])),
    examples: [...examples],
  };
}
