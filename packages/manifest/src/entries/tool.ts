/** Owns the entry of a tool: its `validation_retries` become a policy with a backoff strategy. */
import { isRecord } from '@holdfast/core/internal/plain';
import { ConstantBackoff, ExponentialBackoff, LinearBackoff, type BackoffStrategy, type RetryPolicyLayer } from '@holdfast/core/agent';
import type { ToolEntry } from '../manifest.ts';

interface BackoffEntry {
  readonly strategy?: 'constant_backoff' | 'linear_backoff' | 'exponential_backoff';
  readonly baseSeconds: number;
  readonly stepSeconds?: number;
  readonly factor?: number;
}

/** Takes a tool in camelCase. */
export function toolEntry(tool: Readonly<Record<string, unknown>>): ToolEntry {
  const { validationRetries, ...rest } = tool;
  if (!isRecord(validationRetries)) return rest as unknown as ToolEntry;
  const { backoff, ...policy } = validationRetries;
  const layer = isRecord(backoff) ? { ...policy, backoff: strategyOf(backoff as unknown as BackoffEntry) } : policy;
  return { ...rest, validationRetries: layer as RetryPolicyLayer } as unknown as ToolEntry;
}

function strategyOf({ strategy = 'constant_backoff', baseSeconds, stepSeconds = 0, factor = 2 }: BackoffEntry): BackoffStrategy {
  switch (strategy) {
    case 'constant_backoff':
      return new ConstantBackoff(baseSeconds);
    case 'linear_backoff':
      return new LinearBackoff(baseSeconds, stepSeconds);
    case 'exponential_backoff':
      return new ExponentialBackoff(baseSeconds, factor);
  }
}
