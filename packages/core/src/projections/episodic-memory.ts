/**
 * Owns episodic memory: how each strategy ended, by tool and error signature. A fold over the trace; it has no other input.
 *
 * Invariants
 * 1. Bounded: at most `maxEntries` signatures; the least recently used are evicted first.
 * 2. Old outcomes fade: counts are halved when they reach `HALVE_AT`, so that the memory adapts to a service that changed.
 */
import { checkOptions } from '../engine/settings/check-options.ts';
import { count } from '../engine/settings/fields.ts';
import type { DecisionInputs } from '../engine/recover/decision.ts';
import type { EvidenceSource } from '../engine/recover/past-outcomes.ts';
import type { TraceEvent, TraceEventType } from '../engine/trace/events.ts';

const HALVE_AT = 200;

/** The events that it learns from; it ignores all others. */
export const memoryEvents: readonly TraceEventType[] = ['RecoveryDecided', 'CallCompleted'];

interface Tally {
  tried: number;
  succeeded: number;
  /** Decisions against the strategy because of these counts. */
  withheld: number;
}

interface Episode {
  readonly signature: string;
  readonly strategy: 'retry' | 'use_alternative';
  readonly alternative: string | undefined;
}

/** Remembers how each recovery strategy ended, by tool and kind of error, as evidence for later decisions. */
export interface EpisodicMemory extends EvidenceSource {
  /** Learns from one event of any turn; events of a turn must come in order. */
  observe(event: TraceEvent): void;
}

type ErrorKind = Pick<DecisionInputs, 'toolName' | 'category' | 'rule'>;

/** Returns a function that names a kind of error of a tool. The last name is cached, since failures come in series. */
function createSignatures(): (kind: ErrorKind) => string {
  let last: ErrorKind | undefined;
  let signature = '';
  return (kind) => {
    if (last?.toolName !== kind.toolName || last.category !== kind.category || last.rule !== kind.rule) {
      signature = `${kind.toolName} ${kind.category} ${kind.rule}`;
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
  const { maxEntries = 1_000, maxOpenCalls = 10_000 } = options;
  const tallies = new Tallies(maxEntries);
  const open = new Map<string, Episode>();
  const signatureOf = createSignatures();

  const settle = (key: string, succeeded: boolean): void => {
    const episode = open.get(key);
    if (!episode) return;
    open.delete(key);
    tallies.count(episode, succeeded);
  };

  const forget = (key: string): void => void open.delete(key);
  const withhold = (signature: string): void => {
    const tally = tallies.get(signature)?.get('retry');
    if (tally) tally.withheld += 1;
  };

  return {
    observe(event) {
      switch (event.event_type) {
        case 'RecoveryDecided': {
          const key = `${event.turn_id} ${event.call_id}`;
          const { action, alternative, guards } = event.decision;
          if (event.inputs.failure === 'refused' || event.inputs.classification === 'neutral') return forget(key);
          const signature = signatureOf({ toolName: event.inputs.tool_id, category: event.inputs.category, rule: event.inputs.rule });
          if (guards.some(({ guard, passed }) => guard === 'worth_retrying' && !passed)) withhold(signature);
          const before = open.get(key);
          // All retries of a call count as one outcome.
          if (action === 'retry' && before?.strategy === 'retry' && before.signature === signature) return;
          // Another decision is needed, so the previous strategy did not help.
          settle(key, false);
          if (action === 'retry' || action === 'use_alternative') {
            evict(open, maxOpenCalls);
            open.set(key, { signature, strategy: action, alternative });
          }
          return;
        }
        case 'CallCompleted':
          if (open.size === 0) return;
          // A cancellation or the turn's deadline is no evidence about the strategy.
          if (event.code === 'CANCELLED' || event.code === 'TURN_DEADLINE') return forget(`${event.turn_id} ${event.call_id}`);
          return settle(`${event.turn_id} ${event.call_id}`, event.status === 'success');
        default:
      }
    },
    recall(facts) {
      const known = tallies.get(signatureOf(facts));
      if (!known) return [];
      return [...known].map(([strategy, { tried, succeeded, withheld }]) =>
        strategy === 'retry'
          ? { strategy, tried, succeeded, withheld }
          : { strategy: 'use_alternative', toolName: strategy.slice('use_alternative '.length), tried, succeeded },
      );
    },
  };
}

/** The counts for each kind of error, in the order of use. */
class Tallies {
  readonly #maxEntries: number;
  readonly #known = new Map<string, Map<string, Tally>>();
  #latest: string | undefined;

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries;
  }

  get(signature: string): ReadonlyMap<string, Tally> | undefined {
    return this.#known.get(signature);
  }

  count({ signature, strategy, alternative }: Episode, succeeded: boolean): void {
    const known = this.#touch(signature);
    const name = strategy === 'retry' ? 'retry' : `use_alternative ${alternative}`;
    const tally = known.get(name) ?? { tried: 0, succeeded: 0, withheld: 0 };
    tally.tried += 1;
    if (succeeded) tally.succeeded += 1;
    if (tally.tried >= HALVE_AT) {
      tally.tried = Math.round(tally.tried / 2);
      tally.succeeded = Math.round(tally.succeeded / 2);
    }
    known.set(name, tally);
  }

  /** Re-inserting keeps the map in order of use, so that the first key is the oldest. */
  #touch(signature: string): Map<string, Tally> {
    const known = this.#known.get(signature) ?? new Map<string, Tally>();
    if (this.#latest === signature) return known;
    this.#known.delete(signature);
    evict(this.#known, this.#maxEntries);
    this.#known.set(signature, known);
    this.#latest = signature;
    return known;
  }
}

function evict(map: Map<string, unknown>, limit: number): void {
  if (map.size < limit) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}
