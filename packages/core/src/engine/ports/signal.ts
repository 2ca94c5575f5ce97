/**
 * Owns the type of the cancel signal that tools receive. Does not own how it is made (`system.ts`).
 */

/** The part of an abort signal that Holdfast uses; every `AbortSignal` has it. */
export interface CancelSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/**
 * The platform's `AbortSignal` wherever the compiling project knows one (Node, browsers), else the part of it that Holdfast needs.
 * The core compiles without DOM or Node types, so the name is looked up in the user's own global scope.
 */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer Platform } } ? Platform : CancelSignal;
