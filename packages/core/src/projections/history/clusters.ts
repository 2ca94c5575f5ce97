/**
 * Owns the failures that look the same: how many, since when, what was tried upon them and what became of the calls.
 *
 * Invariants
 * 1. One failure is in one cluster; the same message of the same tool and code always comes to the same one.
 * 2. Bounded: clusters that were seen longest ago are forgotten first, and each keeps a fixed number of examples and hours.
 */
import type { Mutable } from '../../engine/plain/mutable.ts';
import type { CallCompleted, TraceEvent } from '../../engine/trace/events.ts';
import { BoundedMap } from './bounded-map.ts';
import { endingOf } from './cell-fold.ts';
import { addedTo, mostExamples, mostHours } from './merge-clusters.ts';
import type { ClusterRecord, FailureRecord, StrategyCount } from './records.ts';
import { patternOf, signatureOf } from './failure-signature.ts';
import type { CallTrack, Seen } from './open-turns.ts';

type ToolError = Extract<TraceEvent, { event_type: 'ToolError' }>;

type Cluster = Mutable<Omit<ClusterRecord, 'hours' | 'strategies' | 'examples'>> & {
  readonly hours: Record<string, number>;
  readonly strategies: Map<string, Mutable<StrategyCount>>;
  readonly examples: FailureRecord[];
};

/** What is going on about a failure of a call. */
interface Attempted {
  readonly clusters: Set<Cluster>;
  /** Whether what is tried now works is not known yet. */
  trying: { readonly cluster: Cluster; readonly strategy: string } | undefined;
  latest: Cluster | undefined;
}

export interface ClusterFoldOptions {
  readonly mostClusters: number;
  /** Those that were known before. */
  readonly known?: Iterable<ClusterRecord>;
}

export interface ClusteredFailure {
  /** Changes while its call continues. */
  readonly failure: FailureRecord;
  readonly pattern: string;
  /** Nothing like it was seen before. */
  readonly isNew: boolean;
}

const hourMs = 3_600_000;
const mostRemembered = 2_000;
const mostOfCall = 20;
const longestText = 500;

export class ClusterFold {
  readonly #clusters: BoundedMap<Cluster>;
  readonly #remembered = new BoundedMap<string>(mostRemembered);
  readonly #calls = new WeakMap<CallTrack, Attempted>();
  /** As they were taken last, without their examples. */
  readonly #taken = new WeakMap<Cluster, ClusterRecord>();
  /** Signatures. */
  readonly #changed: BoundedMap<true>;
  #isRecalling = false;

  constructor({ mostClusters, known = [] }: ClusterFoldOptions) {
    this.#clusters = new BoundedMap(mostClusters);
    this.#changed = new BoundedMap(mostClusters);
    for (const record of known) {
      const cluster = fromRecord(record);
      this.#clusters.set(record.signature, cluster);
      this.#taken.set(cluster, { ...record, examples: [] });
    }
  }

  /** Of what was counted before it is only remembered what its call needs. */
  recall(seen: Seen): void {
    this.#isRecalling = true;
    this.observe(seen);
    this.#isRecalling = false;
  }

  /** Answers the record of a failure, and whether nothing like it was seen before. */
  observe({ event, at, call }: Seen): ClusteredFailure | undefined {
    switch (event.event_type) {
      case 'ToolError':
        return this.#failed(event, at, call);
      case 'RecoveryDecided':
        if (call) this.#decided(event, call);
        return undefined;
      case 'ToolSucceeded':
        if (call) this.#settle(call, event.tool_id === call.toolName ? 'retry' : 'use_alternative', true);
        return undefined;
      case 'CallRefused':
        if (call) this.#settle(call, 'retry', false);
        return undefined;
      case 'CallCompleted':
        if (call) this.#ended(event, call);
        return undefined;
      default:
        return undefined;
    }
  }

  /** What came to those that have changed since they were taken last, at most `limit` of them; the others wait. */
  take(limit: number): readonly ClusterRecord[] {
    const taken: ClusterRecord[] = [];
    for (const signature of this.#changed.keys()) {
      if (taken.length === limit) break;
      this.#changed.delete(signature);
      const cluster = this.#clusters.get(signature);
      if (!cluster) continue;
      const record = toRecord(cluster);
      taken.push(addedTo(this.#taken.get(cluster), record));
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

  #failed(event: ToolError, at: number, call: CallTrack | undefined): ClusteredFailure {
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
      message: event.error.slice(0, longestText),
      signature,
    };
    this.#change(cluster, () => count(cluster, failure, at));
    if (call) {
      this.#settle(call, 'retry', false);
      const attempted = this.#attemptedOf(call);
      if (attempted.clusters.size < mostOfCall) attempted.clusters.add(cluster);
      attempted.latest = cluster;
      const tracked = { toolName: event.tool_id, failure };
      if (call.failures.length < mostOfCall) call.failures.push(tracked);
      else call.failures[mostOfCall - 1] = tracked;
    }
    return { failure, isNew, pattern };
  }

  #change(cluster: Cluster, change: () => void): void {
    if (this.#isRecalling) return;
    change();
    this.#changed.touch(cluster.signature, isChanged);
  }

  #patternOf({ code, error }: ToolError): string {
    // The name is the model's invention.
    if (code === 'UNKNOWN_TOOL') return 'Unknown tool: <name>';
    return this.#remembered.touch(error.slice(0, longestText), () => patternOf(error));
  }

  #attemptedOf(call: CallTrack): Attempted {
    const known = this.#calls.get(call);
    if (known) return known;
    const attempted: Attempted = { clusters: new Set(), trying: undefined, latest: undefined };
    this.#calls.set(call, attempted);
    return attempted;
  }

  #decided({ decision: { action, stopped_by }, inputs }: Extract<TraceEvent, { event_type: 'RecoveryDecided' }>, call: CallTrack): void {
    const attempted = this.#calls.get(call);
    const cluster = attempted?.latest;
    if (!attempted || !cluster) return;
    if (action === 'fail' || action === 'skip' || action === 'escalate') {
      const failure = call.failures.at(-1)?.failure;
      const why = stopped_by ?? (inputs.classification === 'permanent' ? 'not_retryable' : undefined);
      if (failure && why !== undefined) failure.stopped_by = why;
      return;
    }
    if (action === 'use_alternative') this.#settle(call, action, false);
    // What is there is taken: nothing can go wrong with it any more.
    const isCertain = action === 'use_default' || action === 'accept_partial';
    this.#change(cluster, () => {
      const counts = strategyOf(cluster, action);
      counts.tried += 1;
      if (isCertain) counts.succeeded += 1;
    });
    if (!isCertain) attempted.trying = { cluster, strategy: action };
  }

  /** What was tried has worked, or has not. An alternative that fails may be retried: only the end of its call, or another alternative, settles that. */
  #settle(call: CallTrack, strategy: 'retry' | 'use_alternative', succeeded: boolean): void {
    const attempted = this.#calls.get(call);
    const trying = attempted?.trying;
    if (!attempted || !trying) return;
    if (!succeeded && trying.strategy !== strategy) return;
    attempted.trying = undefined;
    this.#change(trying.cluster, () => {
      if (succeeded) strategyOf(trying.cluster, trying.strategy).succeeded += 1;
    });
  }

  #ended(event: CallCompleted, call: CallTrack): void {
    const attempted = this.#calls.get(call);
    if (!attempted) return;
    const ending = endingOf(event, call);
    if (ending === 'cancelled') return;
    const isLost = ending === 'failed' || ending === 'rejected';
    for (const cluster of attempted.clusters) {
      this.#change(cluster, () => {
        if (isLost) cluster.calls_failed += 1;
        else cluster.calls_recovered += 1;
      });
    }
    if (!isLost) for (const { failure } of call.failures) delete failure.stopped_by;
    else if (event.stopped_by !== undefined) {
      const last = call.failures.at(-1)?.failure;
      if (last) last.stopped_by = event.stopped_by;
    }
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
    sample: event.error.slice(0, longestText),
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
  // Whole numbers are the first of an object's keys, in their order.
  const hours = Object.keys(cluster.hours);
  if (hours.length > mostHours && hours[0] !== undefined) delete cluster.hours[hours[0]];
  cluster.examples.unshift(failure);
  if (cluster.examples.length > mostExamples) cluster.examples.pop();
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
