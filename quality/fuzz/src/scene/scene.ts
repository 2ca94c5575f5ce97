/**
 * Owns the definition of a fuzzed run: plain data, so that it can be printed, stored and shrunk. The result of an attempt depends only on the seed, its tool, call
 * and number, and on the state of its service at that time: removing parts of a scene does not change the rest.
 */
import type { Capture, CircuitCommand, PlannedCall, RecoveryRule, ProfileName, ToolPolicy, TurnSettings } from '@holdfast/core';
import type { FailureMode } from './failure-mode.ts';

export interface FuzzTool {
  readonly name: string;
  readonly policy: ToolPolicy;
  readonly failureMode: FailureMode;
  /** Times in which its service only fails. */
  readonly outages: readonly (readonly [fromMs: number, untilMs: number])[];
}

export interface FuzzTurn {
  readonly turnId: string;
  readonly atMs: number;
  readonly settings: Partial<TurnSettings>;
  readonly calls: readonly (PlannedCall & { readonly callId: string })[];
  /** Since the turn began. */
  readonly cancelAtMs?: number;
}

/** How a part that belongs to the user behaves. */
export type Hook = 'none' | 'good' | 'throws' | 'rejects' | 'stalls' | 'slow';

export interface FuzzHooks {
  readonly listener: Hook;
  readonly store: Hook;
  readonly advisor: Hook;
}

export interface FuzzScene {
  readonly seed: string;
  readonly profile: ProfileName;
  readonly capture: Capture;
  readonly tools: readonly FuzzTool[];
  readonly rules: readonly RecoveryRule[];
  readonly turns: readonly FuzzTurn[];
  readonly hooks: FuzzHooks;
  /** Steps of the wall clock. */
  readonly wallSteps: readonly { readonly atMs: number; readonly byMs: number }[];
  /** When the machine sleeps: the monotonic clock continues, and timers fire late. */
  readonly sleeps: readonly { readonly atMs: number; readonly forMs: number }[];
  /** Circuit commands of an operator. */
  readonly commands: readonly { readonly atMs: number; readonly toolName: string; readonly command: CircuitCommand }[];
  /** When the process is killed; another starts from the store. */
  readonly killAtMs?: number;
  /** Its first turn is also run over a journal, with processes that die. */
  readonly journaled: boolean;
  /** Several events may occur at one instant, and tools may answer within the call. */
  readonly ties: boolean;
}
