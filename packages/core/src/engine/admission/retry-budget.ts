/**
 * Owns how many retries a tool may have: a share of its first attempts in a time window, plus a small floor.
 * Keeps the two counts. Both expire together, so a quiet tool keeps its floor and nothing else.
 *
 * 1. A retry is allowed while `retries < floor + ratio * calls`, both counted over the window.
 * 2. A refusal changes nothing.
 * 3. A call pays when it arrives, before it waits. A retry that waits for recovery is free: it starts no sooner than the tool could serve it.
 */
import { countIn, createRollingWindow, expiryOf, resizeWindow, totalsOf, type RollingWindow } from '../breaker/rolling-window.ts';
import { waitMs } from '../breaker/wait.ts';
import type { RetryBudgetSettings } from '../settings/settings.ts';
import type { Refusal } from './types.ts';

const column = { calls: 0, retries: 1 } as const;
/** 0.1 * 30 is a little more than 3: without this tolerance, a sum of shares would allow one retry too many. */
const rounding = 1e-9;

export interface RetryBudget {
  settings: RetryBudgetSettings;
  readonly window: RollingWindow;
}

/** The budget that the settings ask for; an existing one keeps its counts. */
export function budgetFor(settings: RetryBudgetSettings | false | undefined, existing?: RetryBudget): RetryBudget | undefined {
  if (settings === undefined || settings === false) return undefined;
  if (existing === undefined) return { settings, window: createRollingWindow(settings.windowMs, 2) };
  existing.settings = settings;
  resizeWindow(existing.window, settings.windowMs);
  return existing;
}

export function budgetRefusal(budget: RetryBudget | undefined, retry: boolean, now: number): Refusal | undefined {
  if (!retry || budget === undefined || retriesLeft(budget, now) > 0) return undefined;
  const freeAt = budgetFreeAt(budget, now);
  const refusal: Refusal = { code: 'RETRY_BUDGET_EXHAUSTED', source: 'budget' };
  return freeAt === undefined ? refusal : { ...refusal, retryAfterMs: waitMs(freeAt, now) };
}

export function payBudget(budget: RetryBudget | undefined, retry: boolean, now: number): void {
  if (budget !== undefined) countIn(budget.window, retry ? column.retries : column.calls, now);
}

export function retriesLeft(budget: RetryBudget, now: number): number {
  const [calls = 0, retries = 0] = totalsOf(budget.window, now);
  return leftOf(budget.settings, calls, retries);
}

/** When enough old retries will have expired to allow one again; undefined when expiry alone is not enough. */
export function budgetFreeAt(budget: RetryBudget, now: number): number | undefined {
  let [calls = 0, retries = 0] = totalsOf(budget.window, now);
  for (const [age, [oldCalls = 0, oldRetries = 0]] of budget.window.buckets.entries()) {
    calls -= oldCalls;
    retries -= oldRetries;
    if (leftOf(budget.settings, calls, retries) > 0) return expiryOf(budget.window, age);
  }
  return undefined;
}

function leftOf(settings: RetryBudgetSettings, calls: number, retries: number): number {
  return Math.max(0, Math.ceil(settings.floor + settings.ratio * calls - retries - rounding));
}
