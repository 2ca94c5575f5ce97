/** Owns written turns as data: the behaviour of their tools is left open. */
import type { ProfileName, ToolPolicy } from '@holdfast/core';
import type { FuzzTurn } from './scene.ts';

export interface TurnTemplate {
  /** Name of the test that ran it. */
  readonly name: string;
  readonly profile: ProfileName;
  readonly tools: readonly { readonly name: string; readonly policy: ToolPolicy }[];
  readonly turn: Pick<FuzzTurn, 'settings' | 'calls'>;
}
