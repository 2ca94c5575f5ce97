/** Owns the tools of the cases, and helpers for expectations. */
import type { ScriptedCall, ScriptedTurn } from '@holdfast/provider-double';
import type { ContractTool } from '../harness.ts';
import type { Played } from '../stage.ts';
import { toolResults } from '../stage.ts';

export interface CountedTool extends ContractTool {
  /** The arguments of every run. */
  readonly runs: readonly unknown[];
}

const citySchema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false };

/** A tool with the parameter `city`. */
export function cityTool(name: string, run: (args: { readonly city: string }, signal: AbortSignal | undefined) => unknown): CountedTool {
  const runs: unknown[] = [];
  return {
    name,
    description: `The ${name.replaceAll('_', ' ')} tool.`,
    schema: citySchema,
    runs,
    run: (args: never, signal) => {
      runs.push(args);
      return run(args, signal);
    },
  };
}

/** A tool that works. */
export const weather = (): CountedTool => cityTool('get_weather', ({ city }) => `Rain in ${city}.`);

export const call = (name: string, city: unknown = 'Oslo'): ScriptedCall => ({ name, arguments: { city } });

export const done: ScriptedTurn = { text: 'All done.' };

/** Settings with which the first call that fails opens the circuit, and later ones are refused instead of waiting. */
export const opening = {
  retry: { maxAttempts: 1 },
  breaker: { failureThreshold: 1, openMs: 30_000 },
  waitForRecovery: false,
} as const;

/** Never settles and ignores its signal. */
export const hang = (): Promise<never> => new Promise(() => undefined);

export const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The text of a result in the last request, by its index among all results. */
export const textAt = (played: Played, index: number): string => toolResults(played)[index]?.text ?? '';

export const resultMatches = (played: Played, index: number, what: RegExp): boolean => what.test(textAt(played, index));
