/** Owns counting what Holdfast's part of a case allocates. The process has space for all of it, so nothing is collected meanwhile. */
import { Session, type HeapProfiler } from 'node:inspector/promises';
import { PerformanceObserver } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import type { Case } from '../cases/case.ts';
import { repeat, warmCalls, type WarmCalls } from './calls.ts';
import { placeName } from './profile.ts';

const shown = 25;
const calls = 10_240;

export async function countAllocations(one: Case): Promise<void> {
  const { make, close } = await warmCalls(one);
  const floor = await bytesPerCall(repeat(async () => 1, 1));
  const bytes = await bytesPerCall(make);
  console.log(`\n${one.name}: ${bytes.toFixed(0)} bytes per call, of which ${floor.toFixed(0)} are the loop and an \`async () => 1\`\n`);
  for (const { place, share } of await sites(make)) console.log(`  ${share.toFixed(1).padStart(5)} %  ${place}`);
  await close();
}

async function bytesPerCall(make: WarmCalls['make']): Promise<number> {
  await make(640);
  let collections = 0;
  const observer = new PerformanceObserver((list) => {
    collections += list.getEntries().length;
  });
  for (let attempt = 0; attempt < 5; attempt += 1) {
    globalThis.gc?.();
    await nextTurn();
    observer.observe({ entryTypes: ['gc'] });
    collections = 0;
    const before = getHeapStatistics().used_heap_size;
    const made = await make(calls);
    const after = getHeapStatistics().used_heap_size;
    await nextTurn();
    observer.disconnect();
    if (collections === 0) return (after - before) / made;
  }
  throw new Error('The collector ran in every attempt; no result.');
}

interface Site {
  readonly place: string;
  /** In percent. */
  readonly share: number;
}

/** Where memory is allocated, by samples of the heap profiler, collected objects included. */
async function sites(make: WarmCalls['make']): Promise<readonly Site[]> {
  const session = new Session();
  session.connect();
  await session.post('HeapProfiler.startSampling', {
    samplingInterval: 4_096,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  });
  await make(calls * 5);
  const { profile } = await session.post('HeapProfiler.stopSampling');
  const bytes = new Map<string, number>();
  const add = ({ callFrame, selfSize, children }: HeapProfiler.SamplingHeapProfileNode): void => {
    const place = placeName(callFrame);
    bytes.set(place, (bytes.get(place) ?? 0) + selfSize);
    children.forEach(add);
  };
  add(profile.head);
  const all = [...bytes.values()].reduce((sum, one) => sum + one, 0);
  return [...bytes]
    .map(([place, size]) => ({ place, share: (100 * size) / all }))
    .toSorted((one, other) => other.share - one.share)
    .slice(0, shown);
}
