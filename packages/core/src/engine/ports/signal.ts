/**
 * Owns the type of the cancel signal that tools receive. Does not own how it is created (`system.ts`).
 */
import { refuse, type Rule } from '../settings/check.ts';

/** The part of an abort signal that Holdfast uses; every `AbortSignal` has it. */
export interface CancelSignal {
  /** Whether the work should stop. */
  readonly aborted: boolean;
  /** The reason the signal was aborted with; `undefined` before. */
  readonly reason: unknown;
  /** Calls `listener` when the signal is aborted; never for a signal that is aborted already. */
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once?: boolean }): void;
  /** Removes a listener that `addEventListener` added. */
  removeEventListener(type: 'abort', listener: () => void): void;
}

/**
 * The platform's `AbortSignal` wherever the compiling project has one (Node, browsers), otherwise the part of it that Holdfast needs.
 * The core compiles without DOM or Node types, so the name is looked up in the user's own global scope.
 */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer Platform } } ? Platform : CancelSignal;

/** Refuses values that are not signals, such as an `AbortController`, which would never cancel anything. */
export const signalRule: Rule = (value, field) => {
  if (typeof (value as Partial<CancelSignal> | null)?.addEventListener !== 'function')
    refuse(field, value, 'an AbortSignal, such as controller.signal', '');
};
