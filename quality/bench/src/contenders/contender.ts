/** The protected work, and what a library makes of it. */
import type { StandardSchema } from '@holdfast/core';

/** The work of every contender, the same for all. */
export interface Job {
  /** Runs the work once. */
  readonly run: (args: unknown) => unknown;
  /** Retries without delay, for contenders that retry. @default 4, with the usual delays */
  readonly retriesAtOnce?: number;
  /** Arguments are checked against it before the work runs. */
  readonly input?: StandardSchema & { parse(value: unknown): unknown };
  /** The arguments of the work. @default {} */
  readonly arguments?: unknown;
}

/** A job under the protection of one contender. */
export interface ProtectedJob {
  /** One call, as a user of the library writes it. */
  readonly call: () => Promise<unknown>;
  /** Releases its resources. */
  readonly close?: () => unknown;
}

export interface Contender {
  readonly name: string;
  /** How it is configured, as text. */
  readonly configuration: string;
  readonly protect: (job: Job) => ProtectedJob;
  readonly retries: boolean;
  /** The job under an open circuit that stays open. */
  readonly open?: () => Promise<ProtectedJob>;
  /** Extracts the work's answer from the call's answer. @default the answer itself */
  readonly outputOf?: (answer: unknown) => unknown;
  /** Whether the answer or rejection of a call shows that the circuit is open. */
  readonly isRefusal?: (answer: unknown) => boolean;
}

export const timeLimitMs = 30_000;
export const failuresToOpen = 5;
/** Longer than any run: an open circuit stays open. */
export const openMs = 3_600_000;

/** The work with its arguments checked, for libraries that do not check them. */
export function withCheck({ run, input, arguments: args = {} }: Job): () => Promise<unknown> {
  return input === undefined ? async () => run(args) : async () => run(input.parse(args));
}

/** Work that fails in a way that every contender counts and would retry. */
export async function failing(): Promise<never> {
  throw connectionLost();
}

export function connectionLost(): Error {
  return Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
}

/** Calls until the contender has opened its circuit. */
export async function callUntil(isOpen: () => boolean, call: () => Promise<unknown>): Promise<void> {
  for (let calls = 0; !isOpen(); calls += 1) {
    if (calls === 100) throw new Error('The circuit did not open after 100 failing calls.');
    await call().catch(() => undefined);
  }
}
