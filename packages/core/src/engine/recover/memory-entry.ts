/**
 * Owns what episodic memory knows about one kind of error of one tool: its form, its check, and how outcomes are added. It is plain JSON, so that a store can keep it.
 * Does not own how outcomes are learned (`../../projections/episodic-memory.ts`), or what follows from them (`past-outcomes.ts`).
 *
 * Invariants
 * 1. Outcomes are added, never replaced, so that processes that share a store do not lose each other's outcomes.
 * 2. Old outcomes fade: counts are halved when they reach `HALVE_AT`, so that the memory adapts to a service that changed.
 */
import type { ErrorCategory } from '../classify/classification.ts';
import type { StrategyEvidence } from './decision.ts';

const HALVE_AT = 200;

/** The number of entries that a memory has, and that a store keeps. */
export const MAX_MEMORY_ENTRIES = 1_000;

/** What episodic memory knows about one kind of error of one tool; plain JSON. */
export interface MemoryEntry {
  /** Version of this form. */
  readonly version: 1;
  /** Name of the tool. */
  readonly toolName: string;
  /** Category of the error. */
  readonly category: ErrorCategory;
  /** The rule that classified it, such as `status:503`. */
  readonly rule: string;
  /** When it was saved, milliseconds since 1970. */
  readonly savedAtEpochMs: number;
  /** How each strategy ended. */
  readonly outcomes: readonly StrategyEvidence[];
}

/** A kind of error of one tool. */
export type ErrorKind = Pick<MemoryEntry, 'toolName' | 'category' | 'rule'>;

/** Identifies the kind of error that an entry is about. */
export function memoryKey({ toolName, category, rule }: ErrorKind): string {
  return JSON.stringify([toolName, category, rule]);
}

/** Returns the sum of both, by strategy, in new objects. */
export function addOutcomes(known: readonly StrategyEvidence[], more: readonly StrategyEvidence[]): readonly StrategyEvidence[] {
  const sum = known.map((outcome) => ({ ...outcome }));
  for (const outcome of more) {
    const at = sum.findIndex(({ strategy, toolName }) => strategy === outcome.strategy && toolName === outcome.toolName);
    const before = sum[at];
    if (before) sum[at] = add(before, outcome);
    else sum.push({ ...outcome });
  }
  return sum;
}

/** Adds what was learned to what a store has about the same kind of error, if that is a valid entry. */
export function addToEntry(stored: unknown, learned: MemoryEntry): MemoryEntry {
  if (!isMemoryEntry(stored)) return learned;
  const savedAtEpochMs = Math.max(stored.savedAtEpochMs, learned.savedAtEpochMs);
  return { ...learned, savedAtEpochMs, outcomes: addOutcomes(stored.outcomes, learned.outcomes) };
}

/** Returns an entry from its JSON text. It is not checked; text that is not JSON is returned as it is. */
export function readMemoryEntry(text: string): MemoryEntry {
  try {
    return JSON.parse(text) as MemoryEntry;
  } catch {
    return text as unknown as MemoryEntry;
  }
}

/** Whether a value from a store is a valid entry. */
export function isMemoryEntry(value: unknown): value is MemoryEntry {
  if (typeof value !== 'object' || value === null) return false;
  const { version, toolName, category, rule, savedAtEpochMs, outcomes } = value as { readonly [Field in keyof MemoryEntry]?: unknown };
  const texts = [toolName, category, rule];
  return (
    version === 1 &&
    texts.every((text) => typeof text === 'string') &&
    Number.isFinite(savedAtEpochMs) &&
    Array.isArray(outcomes) &&
    outcomes.every(isOutcome)
  );
}

function isOutcome(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { strategy, toolName, tried, succeeded, withheld = 0 } = value as { readonly [Field in keyof StrategyEvidence]?: unknown };
  const isNamed = strategy === 'retry' ? toolName === undefined : strategy === 'use_alternative' && typeof toolName === 'string';
  return isNamed && isCount(tried) && isCount(succeeded) && succeeded <= tried && isCount(withheld);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function add(one: StrategyEvidence, other: StrategyEvidence): StrategyEvidence {
  let tried = one.tried + other.tried;
  let succeeded = one.succeeded + other.succeeded;
  for (; tried >= HALVE_AT; tried = Math.round(tried / 2)) succeeded = Math.round(succeeded / 2);
  const { withheld } = one;
  return withheld === undefined ? { ...one, tried, succeeded } : { ...one, tried, succeeded, withheld: withheld + (other.withheld ?? 0) };
}
