/** Owns what the keywords of a schema see of the walk through a value. */
import type { JsonObject } from '../../json.ts';
import type { Budget } from './budget.ts';
import type { SchemaPattern } from './patterns.ts';

/** A mismatch, where it is in the value and in the schema. */
export interface SchemaUnit {
  readonly keyword: string;
  readonly keywordLocation: string;
  readonly instanceLocation: string;
  readonly error: string;
}

/** A schema that is ready to check values. */
export interface WalkedSchema {
  readonly root: JsonObject | boolean;
  /** Schemas by their absolute address. */
  readonly lookup: Readonly<Record<string, unknown>>;
  /** Drafts 04 to 07: keywords beside a `$ref` have no meaning. */
  readonly isOld: boolean;
  /** Whether `unevaluatedProperties` or `unevaluatedItems` occurs. */
  readonly tracks: boolean;
  readonly patterns: (source: string) => SchemaPattern | undefined;
}

/** Where a visit is. */
export interface Frame {
  /** Path in the value, and in the schema. */
  readonly at: string;
  readonly by: string;
  /** Visits of the same value in a row, and of values inside each other. */
  readonly loops: number;
  readonly depth: number;
  readonly anchor: JsonObject | undefined;
  /** Names and indices that a schema has looked at; absent if the schema has neither `unevaluatedProperties` nor `unevaluatedItems`. */
  readonly seen: Seen | undefined;
}

export type Seen = Set<string | number>;

/** The walk of one value through one schema. */
export interface Walk {
  readonly budget: Budget;
  readonly units: SchemaUnit[];
  /** The number of times that something could not be checked. */
  readonly skips: number;
  /** Whether the first mismatch ends the check. */
  readonly isQuick: boolean;
  /** Adds a mismatch, at an index if the mismatches inside are already there. */
  fail(keyword: string, frame: Frame, error: string, index?: number): false;
  /** Notes that something is not checked. */
  skip(reason: string): undefined;
  /** Whether a string matches; `undefined` if the pattern must not be tried on it. */
  matches(source: string, text: string): boolean | undefined;
  /** Checks what is inside a value. */
  inside(value: unknown, part: unknown, frame: Frame, step: string | number, by: string): boolean;
  /** Checks the same value by another schema. */
  same(value: unknown, part: unknown, frame: Frame, by: string, seen?: Seen): boolean;
  newSeen(): Seen | undefined;
}

export const encodeStep = (name: string): string => (/[~/]/.test(name) ? name.replaceAll('~', '~0').replaceAll('/', '~1') : name);
