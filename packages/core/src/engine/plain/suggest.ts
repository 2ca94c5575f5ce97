/**
 * Owns the suggestion behind every "did you mean …?": the candidate nearest to a misspelt word.
 * Does not own the sentence around it.
 *
 * Invariants
 * 1. The answer is one of the candidates, never the word itself.
 * 2. Case, `-`, `_` and spaces count for less than a letter: `maxAttempts` is near `max_attempts`.
 * 3. Among equally near candidates the first wins. Words longer than 64 characters get no suggestion, and candidates after the first thousands are not compared,
 *    so the work is bounded.
 */

const maxWordLength = 64;
/** Pairs of letters. */
const maxComparisons = 300_000;

/** The candidate that `word` probably means, or `undefined` when none is close. */
export function suggest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > maxWordLength) return undefined;
  const wanted = normalize(word);
  let best: string | undefined;
  let bestDistance = Infinity;
  let left = maxComparisons;
  for (const candidate of candidates) {
    if (candidate === word || candidate.length > maxWordLength) continue;
    const offered = normalize(candidate);
    if ((left -= 16 + wanted.length * offered.length) < 0) break;
    const distance = editDistance(wanted, offered);
    if (distance < bestDistance && distance <= tolerance(wanted, offered)) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** By field: the names that other libraries and protocols use for it, without `_`. */
type OtherNames = Readonly<Record<string, string>>;

/** Apart from the others, for bundles with nothing but retries and circuits. */
const namesOfRetries: OtherNames = {
  maxAttempts: 'maxRetries retries',
  initialDelayMs: 'delay minTimeout retryDelay',
  maxDelayMs: 'maxTimeout',
  multiplier: 'exponent factor',
  jitter: 'randomize',
  failureThreshold: 'threshold',
  openMs: 'halfOpenAfter resetTimeout timeoutMs',
  timeoutMs: 'timeout',
};

const names: OtherNames = {
  run: 'callback execute fn func handler invoke',
  input: 'inputSchema parameters schema',
  output: 'outputSchema',
  arguments: 'args input parameters params',
  toolName: 'name tool',
  callId: 'id',
  turnId: 'id',
  signal: 'abortSignal',
  retry: 'retries retryPolicy',
  breaker: 'circuitBreaker',
  rate: 'errorThresholdPercentage',
  fallback: 'fallbackValue',
  alternatives: 'fallbacks',
  limit: 'max',
  useMemory: 'memory',
  recoveryRules: 'policies rules',
  deny: 'forbid',
  dependsOn: 'dependencies',
};

/** The field that an unknown name probably means: the one with that name in other libraries, otherwise the nearest. */
export function suggestField(name: string, fields: readonly string[]): string | undefined {
  return fieldNamedElsewhere(name, fields) ?? suggest(name, fields);
}

/** The same for the options of `retry` and `circuitBreaker`. */
export function suggestRetryField(name: string, fields: readonly string[]): string | undefined {
  return findNamed(name, fields, namesOfRetries) ?? suggest(name, fields);
}

/** The field that has this name in other libraries, in any case. */
export function fieldNamedElsewhere(name: string, fields: readonly string[]): string | undefined {
  return findNamed(name, fields, names) ?? findNamed(name, fields, namesOfRetries);
}

function findNamed(name: string, fields: readonly string[], others: OtherNames): string | undefined {
  const plain = normalize(name);
  return fields.find((field) => Object.hasOwn(others, field) && others[field]?.toLowerCase().split(' ').includes(plain));
}

const normalize = (word: string): string => word.toLowerCase().replaceAll(/[-_\s]/g, '');

/** One typo in a short word, two from six letters on, three from eleven on; never as many as the word has letters. */
function tolerance(first: string, second: string): number {
  const longer = Math.max(first.length, second.length);
  const typos = longer < 6 ? 1 : longer < 11 ? 2 : 3;
  return Math.min(typos, Math.min(first.length, second.length) - 1);
}

/** Damerau-Levenshtein (optimal string alignment): insert, delete, replace, or swap two neighbours. */
export function editDistance(first: string, second: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: second.length + 1 }, (_, column) => column);
  for (let row = 1; row <= first.length; row += 1) {
    const current: number[] = [row];
    for (let column = 1; column <= second.length; column += 1) {
      const same = first[row - 1] === second[column - 1];
      let cost = Math.min((last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, (last[column - 1] ?? 0) + (same ? 0 : 1));
      const swapped = row > 1 && column > 1 && first[row - 1] === second[column - 2] && first[row - 2] === second[column - 1];
      if (swapped) cost = Math.min(cost, (beforeLast[column - 2] ?? 0) + 1);
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return last[second.length] ?? 0;
}
