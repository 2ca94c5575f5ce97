/** Owns a string for every JSON value that is the same for equal values, whatever the order of their properties. */
import { type Budget, spend, stepsFor } from './budget.ts';

/** To join strings and to sort names takes longer than a comparison. */
const [compoundSteps, nameSteps] = [4, 4] as const;

export function canonicalKey(value: unknown, budget: Budget): string {
  spend(budget, 1);
  if (typeof value === 'string') {
    spend(budget, stepsFor(value));
    return JSON.stringify(value);
  }
  if (typeof value !== 'object' || value === null) return String(value);
  spend(budget, compoundSteps);
  if (Array.isArray(value)) return `[${value.map((item) => canonicalKey(item, budget)).join()}]`;
  const names = Object.keys(value).sort();
  spend(budget, nameSteps * names.length);
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonicalKey((value as Readonly<Record<string, unknown>>)[name], budget)}`).join()}}`;
}
