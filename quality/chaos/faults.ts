/** Owns the faults of a run: which part is killed or stopped, when, and for how long. Outages of several parts overlap. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Fleet, Part } from './fleet.ts';
import { between, pick } from './random.ts';

export interface FaultsOptions {
  readonly count: number;
  readonly random: () => number;
  /** Called after each fault with the number of faults so far. */
  readonly onFault: (count: number, text: string) => void;
}

/** How many faults of each sort there were: `kill worker`. */
export type FaultCounts = Readonly<Record<string, number>>;

/** Most parts that are away at the same time. */
const maxAway = 3;
const superviseMs = 500;

/** Resolves when the last outage is over, with the moment of the last fault. */
export async function injectFaults(
  fleet: Fleet,
  { count, random, onFault }: FaultsOptions,
): Promise<{ counts: FaultCounts; lastAt: number }> {
  const counts: Record<string, number> = {};
  const away = new Set<string>();
  const outages: Promise<void>[] = [];
  const supervising = setInterval(() => fleet.supervise(away), superviseMs);
  let lastAt = performance.now();
  for (let fault = 1; fault <= count; fault += 1) {
    await wait(between(random, 600, 2_600));
    while (away.size >= maxAway) await wait(50);
    // Kinds are equally likely, whatever the number of their processes.
    const free = fleet.parts.filter(({ name }) => !away.has(name));
    const kind = pick(random, [...new Set(free.map((part) => part.kind))]);
    const part = pick(
      random,
      free.filter((each) => each.kind === kind),
    );
    const isKill = random() < 0.7;
    const name = `${isKill ? 'kill' : 'stop'} ${part.kind}`;
    counts[name] = (counts[name] ?? 0) + 1;
    away.add(part.name);
    lastAt = performance.now();
    outages.push(outage(part, isKill, between(random, 200, isKill ? 3_000 : 5_000)).finally(() => away.delete(part.name)));
    onFault(fault, name);
  }
  await Promise.all(outages);
  clearInterval(supervising);
  return { counts, lastAt };
}

async function outage(part: Part, isKill: boolean, forMs: number): Promise<void> {
  if (isKill) {
    await part.kill();
    await wait(forMs);
    await part.begin();
    return;
  }
  part.stop();
  await wait(forMs);
  part.resume();
}
