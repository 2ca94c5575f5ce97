/** Owns counts over a window that rolls in whole steps. */
export interface RollingCounts {
  readonly add: (name: 'failures' | 'total', amount?: number) => void;
  readonly sums: () => { readonly failures: number; readonly total: number };
  readonly clear: () => void;
}

export function rollingCounts(now: () => number, windowMs: number, steps: number): RollingCounts {
  const stepMs = windowMs / steps;
  let counts = Array.from({ length: steps }, () => ({ failures: 0, total: 0 }));
  let step = 0;
  const roll = (): { failures: number; total: number } => {
    const current = Math.floor(now() / stepMs);
    if (current - step >= steps) counts = counts.map(() => ({ failures: 0, total: 0 }));
    else for (let next = step + 1; next <= current; next += 1) counts[next % steps] = { failures: 0, total: 0 };
    step = current;
    const index = current % steps;
    return (counts[index] ??= { failures: 0, total: 0 });
  };
  return {
    add(name, amount = 1) {
      roll()[name] += amount;
    },
    sums() {
      roll();
      let failures = 0;
      let total = 0;
      for (const count of counts) {
        failures += count.failures;
        total += count.total;
      }
      return { failures, total };
    },
    clear() {
      counts = counts.map(() => ({ failures: 0, total: 0 }));
    },
  };
}
