/** Owns what the sweep of arguments calls: functions with arguments that are valid, and which wrong values they accept for a reason. */

/** A kind of wrong value, or all of them. */
export type WrongKind = 'nothing' | 'undefined' | 'null' | 'number' | 'string' | 'object' | 'array' | 'promise' | 'function' | 'misspelt';

/** One function, constructor or method. */
export interface Subject {
  /** Valid arguments, made anew for each call. */
  readonly args: () => readonly unknown[];
  /** By position of the argument: the wrong values that are valid there, and why. */
  readonly accepts?: Readonly<Record<number, readonly [reason: string, ...kinds: readonly WrongKind[]]>>;
}

/** Functions by name. */
export interface Owner {
  /** How a test calls the owner, such as `@holdfast/core`. */
  readonly name: string;
  /** A module, or an object with methods, made anew for each call. */
  readonly get: () => object;
  /** Each function that the owner has. A string is the reason why it is not tried. */
  readonly subjects: Readonly<Record<string, Subject | string>>;
}

const every: readonly WrongKind[] = [
  'nothing',
  'undefined',
  'null',
  'number',
  'string',
  'object',
  'array',
  'promise',
  'function',
  'misspelt',
];

/** A function that takes any value at a position. */
export const anyValue = (reason: string): readonly [string, ...WrongKind[]] => [reason, ...every];

/** For what Holdfast itself has made: nobody writes its fields by hand, and it may have others. */
export const made: readonly [string, ...WrongKind[]] = ['Holdfast has made it: it may have further fields', 'misspelt'];
