/**
 * Owns episodic memory: how each strategy ended, by tool and error signature. A fold over the trace, continued from what a store keeps of it; it has no other input.
 *
 * Invariants
 * 1. Bounded: at most `maxEntries` signatures; the least recently used are evicted first.
 * 2. Old outcomes fade (`../engine/recover/memory-entry.ts`).
 * 3. What was learned from events, and not restored, is taken once: so that a store can add it to what other processes learned.
 */
import { checkEvent } from '../engine/trace/check-event.ts';
import { checkOptions } from '../engine/settings/check-options.ts';
import { arrayRule, checkRule, checkShape } from '../engine/settings/check.ts';
import { count } from '../engine/settings/fields.ts';
import type { StrategyEvidence } from '../engine/recover/decision.ts';
import { addOutcomes, type ErrorKind, MAX_MEMORY_ENTRIES, type MemoryEntry, memoryKey } from '../engine/recover/memory-entry.ts';
import type { EvidenceSource } from '../engine/recover/past-outcomes.ts';
import type { RecoveryDecided, TraceEvent, TraceEventType } from '../engine/trace/events.ts';

/** The events that it learns from; it ignores all others. */
export const memoryEvents: readonly TraceEventType[] = ['RecoveryDecided', 'CallCompleted'];

interface Episode {
  readonly signature: string;
  readonly kind: ErrorKind;
  readonly strategy: 'retry' | 'use_alternative';
  readonly alternative: string | undefined;
}

/** Remembers how each recovery strategy ended, by tool and kind of error, as evidence for later decisions. */
export interface EpisodicMemory extends EvidenceSource {
  /** Learns from one event of any turn; events of a turn must come in order. */
  observe(event: TraceEvent): void;
  /** Adds what a store has kept; the entries must be valid, the latest last. */
  restore(entries: readonly MemoryEntry[]): void;
  /** Whether `takeLearned` would return entries. */
  readonly hasLearned: boolean;
  /** Returns what was learned from events since the last time, for a store to add to what it has. `nowEpochMs` is the wall clock. */
  takeLearned(nowEpochMs: number): readonly MemoryEntry[];
}

/** Returns a function that names a kind of error of a tool. The last name is cached, since failures come in series. */
function createSignatures(): (kind: ErrorKind) => string {
  let last: ErrorKind | undefined;
  let signature = '';
  return (kind) => {
    if (last?.toolName !== kind.toolName || last.category !== kind.category || last.rule !== kind.rule) {
      signature = memoryKey(kind);
      last = kind;
    }
    return signature;
  };
}

/** Limits of an episodic memory. */
export interface EpisodicMemoryOptions {
  /** Maximum number of signatures. @default 1000 */
  readonly maxEntries?: number;
  /** Maximum number of open calls that are tracked. @default 10000 */
  readonly maxOpenCalls?: number;
}

/** Creates an empty episodic memory; feed it trace events with `observe`. @throws TypeError | RangeError for an invalid option */
export function createEpisodicMemory(options: EpisodicMemoryOptions = {}): EpisodicMemory {
  checkOptions({ maxEntries: count, maxOpenCalls: count }, options, 'createEpisodicMemory');
  const { maxEntries = MAX_MEMORY_ENTRIES, maxOpenCalls = 10_000 } = options;
  const known = new Tallies(maxEntries);
  const learned = new Tallies(maxEntries);
  const signatureOf = createSignatures();
  const observe = createObserver(maxOpenCalls, signatureOf, {
    hasRetries: (signature) => known.get(signature).some(({ strategy }) => strategy === 'retry'),
    learn({ signature, kind }, outcome) {
      known.add(signature, kind, [outcome]);
      learned.add(signature, kind, [outcome]);
    },
  });
  return {
    observe,
    // Copies: an advisor receives them.
    recall(kind) {
      checkShape({ toolName: 'string', category: 'string', rule: 'string' }, kind, 'recall: facts');
      return known.get(signatureOf(kind)).map((outcome) => ({ ...outcome }));
    },
    restore(entries) {
      checkRule(arrayRule, entries, 'restore: entries');
      for (const { outcomes, toolName, category, rule } of entries) {
        const kind = { toolName, category, rule };
        known.add(signatureOf(kind), kind, outcomes);
      }
    },
    get hasLearned() {
      return learned.size > 0;
    },
    takeLearned(nowEpochMs) {
      checkRule('number', nowEpochMs, 'takeLearned: nowEpochMs');
      return learned.take().map(({ kind, outcomes }) => ({ version: 1, ...kind, savedAtEpochMs: nowEpochMs, outcomes }));
    },
  };
}

interface Lessons {
  readonly learn: (about: Pick<Episode, 'signature' | 'kind'>, outcome: StrategyEvidence) => void;
  readonly hasRetries: (signature: string) => boolean;
}

/** Tracks the calls with a strategy in progress, and records how each ended. */
function createObserver(
  maxOpenCalls: number,
  signatureOf: (kind: ErrorKind) => string,
  { learn, hasRetries }: Lessons,
): EpisodicMemory['observe'] {
  const open = new Map<string, Episode>();

  const settle = (key: string, didSucceed: boolean): void => {
    const episode = open.get(key);
    if (!episode) return;
    open.delete(key);
    const { strategy, alternative } = episode;
    const counts = { tried: 1, succeeded: didSucceed ? 1 : 0 };
    learn(episode, strategy === 'retry' ? { strategy, ...counts, withheld: 0 } : { strategy, toolName: String(alternative), ...counts });
  };

  const forget = (key: string): void => void open.delete(key);

  const recordDecision = (key: string, { inputs, decision }: RecoveryDecided): void => {
    const { action, alternative, guards } = decision;
    if (inputs.failure === 'refused' || inputs.classification === 'neutral') return forget(key);
    const kind = { toolName: inputs.tool_id, category: inputs.category, rule: inputs.rule };
    const signature = signatureOf(kind);
    if (hasRetries(signature) && guards.some(({ guard, passed }) => guard === 'worth_retrying' && !passed))
      learn({ signature, kind }, { strategy: 'retry', tried: 0, succeeded: 0, withheld: 1 });
    const before = open.get(key);
    // All retries of a call count as one outcome.
    if (action === 'retry' && before?.strategy === 'retry' && before.signature === signature) return;
    // Another decision is needed, so the previous strategy did not help.
    settle(key, false);
    if (action === 'retry' || action === 'use_alternative') {
      evict(open, maxOpenCalls);
      open.set(key, { signature, kind, strategy: action, alternative });
    }
  };

  return (event) => {
    checkEvent(event, 'observe');
    if (event.event_type === 'RecoveryDecided') return recordDecision(`${event.turn_id} ${event.call_id}`, event);
    if (event.event_type !== 'CallCompleted' || open.size === 0) return;
    const key = `${event.turn_id} ${event.call_id}`;
    // A cancellation or the turn's deadline is no evidence about the strategy.
    if (event.code === 'CANCELLED' || event.code === 'TURN_DEADLINE') return forget(key);
    settle(key, event.status === 'success');
  };
}

interface Tally {
  readonly kind: ErrorKind;
  outcomes: readonly StrategyEvidence[];
}

/** The outcomes for each kind of error, in the order of use. */
class Tallies {
  readonly #maxEntries: number;
  readonly #known = new Map<string, Tally>();
  #latest: string | undefined;

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries;
  }

  get size(): number {
    return this.#known.size;
  }

  get(signature: string): readonly StrategyEvidence[] {
    return this.#known.get(signature)?.outcomes ?? [];
  }

  add(signature: string, kind: ErrorKind, more: readonly StrategyEvidence[]): void {
    const tally = this.#touch(signature, kind);
    tally.outcomes = addOutcomes(tally.outcomes, more);
  }

  /** Returns everything, in the order of use, and empties it. */
  take(): readonly Tally[] {
    const all = [...this.#known.values()];
    this.#known.clear();
    this.#latest = undefined;
    return all;
  }

  /** Re-inserting keeps the map in order of use, so that the first key is the oldest. */
  #touch(signature: string, kind: ErrorKind): Tally {
    const tally = this.#known.get(signature) ?? { kind, outcomes: [] };
    if (this.#latest === signature) return tally;
    this.#known.delete(signature);
    evict(this.#known, this.#maxEntries);
    this.#known.set(signature, tally);
    this.#latest = signature;
    return tally;
  }
}

function evict(map: Map<string, unknown>, limit: number): void {
  if (map.size < limit) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}
