/**
 * Owns what a fuzzed run is made of: plain data, so that it can be shown, kept and made smaller. What an attempt comes to depends on the seed, its tool, call and
 * number alone, and on what its service goes through at that time: a smaller scene changes nothing of what is left in it.
 */
import type { Capture, CircuitCommand, PlannedCall, RecoveryRule, ProfileName, ToolPolicy, TurnSettings } from '@holdfast/core';
import type { Mood } from './mood.ts';

export interface FuzzTool {
  readonly name: string;
  readonly policy: ToolPolicy;
  readonly mood: Mood;
  /** Times in which its service answers nothing but failures. */
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
  /** When the machine sleeps: the monotonic clock continues, and what was due rings late. */
  readonly sleeps: readonly { readonly atMs: number; readonly forMs: number }[];
  /** What a person does to circuits. */
  readonly commands: readonly { readonly atMs: number; readonly toolName: string; readonly command: CircuitCommand }[];
  /** The process is killed then, and another starts from the store. */
  readonly killAtMs?: number;
  /** Its first turn is run over a journal, too, whose processes die. */
  readonly journaled: boolean;
  /** Several things may happen in one instant, and tools may answer within the call. */
  readonly ties: boolean;
}
