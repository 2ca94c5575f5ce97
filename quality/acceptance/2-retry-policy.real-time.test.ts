/**
 * The same delays on the real clock. A delay must never be too short: every single one is asserted as measured. How late a timer is also depends on the
 * machine: a bare timer, set at the same moment for the same delay, measures how late the machine was, and that is subtracted before lateness is
 * checked, at P95 as the condition requires.
 */
import type { ToolPolicy } from '@holdfast/core';
import { createSystem } from '@holdfast/core';
import { describe, expect, test } from 'vitest';
import { fails, gaps, scriptedTool } from './support/scripted-tool.ts';
import { stage } from './support/stage.ts';

const clock = createSystem();
/** How much later than a bare timer a retry may begin, at P95. */
const lagMs = 15;
/** Repetitions, in case the machine stalls for long. */
const experiments = 4;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const percentile95 = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.95) - 1] ?? Infinity;

interface Run {
  /** Times from the start of each attempt to the start of the next. */
  readonly measured: readonly number[];
  /** The same without the machine's lateness. */
  readonly corrected: readonly number[];
  readonly scheduled: readonly number[];
}

async function run(seed: string, policy: ToolPolicy = {}): Promise<Run> {
  const tool = scriptedTool(clock, 'flight_search', [fails('Connection timeout')], policy);
  const { service, of } = stage(undefined, [tool], { seed });
  const lateness: Promise<number>[] = [];
  service.subscribe((event) => {
    if (event.event_type === 'RetryScheduled') lateness.push(latenessOfBareTimer(event.delay_ms));
  });
  await service.executeTool({ toolName: 'flight_search' });
  const late = await Promise.all(lateness);
  const measured = gaps(tool.starts);
  return {
    measured,
    corrected: measured.map((delay, index) => delay - (late[index] ?? -Infinity)),
    scheduled: of('RetryScheduled').map(({ delay_ms }) => delay_ms),
  };
}

function latenessOfBareTimer(delayMs: number): Promise<number> {
  const setAt = clock.now();
  return new Promise((resolve) => {
    setTimeout(() => resolve(Math.max(clock.now() - setAt - delayMs, 0)), Math.ceil(delayMs));
  });
}

/** One after the other, so that few timers are pending at once. */
async function lane(name: string, runs: number): Promise<readonly Run[]> {
  const done: Run[] = [];
  for (let index = 0; index < runs; index++) done.push(await run(`${name} ${index}`));
  return done;
}

/** Asserts what must hold for every single delay on any machine. */
async function twentyRuns(): Promise<readonly Run[]> {
  const runs = (await Promise.all(['a', 'b', 'c', 'd'].map((name) => lane(name, 5)))).flat();
  for (const { measured, scheduled } of runs) {
    expectNeverEarly(measured, scheduled);
    for (const [index, nominal] of [100, 200, 400, 800].entries()) {
      expect(measured[index] ?? Infinity).toBeGreaterThanOrEqual(nominal * 0.9);
      expect(scheduled[index] ?? 0).toBeLessThanOrEqual(nominal * 1.1);
    }
  }
  return runs;
}

function expectNeverEarly(measured: readonly number[], scheduled: readonly number[]): void {
  // Half a millisecond, since tool and engine read the clock one after the other.
  for (const [index, delay] of measured.entries()) expect(delay).toBeGreaterThanOrEqual((scheduled[index] ?? Number.NaN) - 0.5);
}

/** What was too late or missing in the twenty runs. A stalled machine can cause that, so it counts only when it happens in every repetition. */
function lateIn(runs: readonly Run[]): readonly string[] {
  const problems = runs.filter(({ measured }) => measured.length !== 4).map(({ measured }) => `attempt counter = ${measured.length + 1}`);
  for (const [index, nominal] of [100, 200, 400, 800].entries()) {
    const latest = percentile95(runs.flatMap(({ corrected }) => corrected[index] ?? []));
    if (latest > nominal * 1.1 + lagMs) problems.push(`the delay of ${nominal} ms is ${latest} ms at P95`);
  }
  const deviation = percentile95(runs.map(({ corrected }) => Math.abs(sum(corrected) - 1500)));
  if (deviation > 150) problems.push(`the total is 1500 ms ± ${deviation} ms at P95`);
  return problems;
}

describe('retry policy, in real time', () => {
  test(
    '20 runs: delays of 100, 200, 400, 800 ms ± 10 %, total 1500 ms ± 150 ms at P95',
    { tags: ['S1-2.1'], timeout: 90_000 },
    async () => {
      await run('warm-up');
      let problems: readonly string[] = ['not run'];
      for (let experiment = 0; experiment < experiments && problems.length > 0; experiment++) {
        const runs = await twentyRuns();
        expect(runs).toHaveLength(20);
        problems = lateIn(runs);
      }
      expect(problems).toEqual([]);
    },
  );

  test('ten retries of 100 ms start when they were scheduled, never earlier', { tags: ['S1-2.2'], timeout: 30_000 }, async () => {
    const retry = { strategy: 'constant_backoff', initialDelayMs: 100, maxAttempts: 11, maxTotalTimeMs: 20_000 } as const;
    const { measured, corrected, scheduled } = await run('ten retries', { retry, breaker: false });
    expect(scheduled).toHaveLength(10);
    expect(scheduled.filter((delay) => delay >= 90 && delay <= 110)).toHaveLength(10);
    expect(new Set(scheduled).size).toBeGreaterThanOrEqual(8);
    expect(Math.abs(sum(scheduled) / 10 - 100)).toBeLessThanOrEqual(5);

    expect(measured).toHaveLength(10);
    expect(Math.min(...measured)).toBeGreaterThanOrEqual(90);
    expectNeverEarly(measured, scheduled);
    // Nine of ten: at the tenth the machine may have stalled between the two timers.
    expect(corrected.filter((delay) => delay <= 110 + lagMs).length).toBeGreaterThanOrEqual(9);
  });
});
