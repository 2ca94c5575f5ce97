/** Owns the processor profile of Holdfast's part of a case. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { Session, type Profiler } from 'node:inspector/promises';
import { join, relative } from 'node:path';
import type { Case } from '../cases/case.ts';
import type { Report } from '../report/report.ts';
import { warmCalls } from './calls.ts';

const shown = 25;
const root = join(import.meta.dirname, '../../../..');

/** Also writes `reports/bench/<case>.cpuprofile`. */
export async function profile(one: Case): Promise<Report> {
  const { make, close } = await warmCalls(one);
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: 100 });
  await session.post('Profiler.start');
  let calls = 0;
  const start = performance.now();
  while (performance.now() - start < 4_000) {
    calls += await make(500);
  }
  const took = performance.now() - start;
  const { profile: taken } = await session.post('Profiler.stop');
  await close();
  const file = join(root, 'reports', 'bench', `${one.name}.cpuprofile`);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, JSON.stringify(taken));
  return {
    name: `${one.name}-profile`,
    title: `Where the time of Holdfast goes: ${one.name}`,
    what: `Self time by function, of ${((took * 1e6) / calls).toFixed(0)} ns per call under the profiler. The work itself and the garbage collector are in it.`,
    tables: [
      {
        columns: ['function', 'share'],
        rows: selfTimes(taken)
          .slice(0, shown)
          .map(({ place, share }) => [place, `${share.toFixed(1)} %`]),
      },
    ],
    targets: [],
    notes: [],
    figures: {},
  };
}

interface SelfTime {
  readonly place: string;
  /** In percent. */
  readonly share: number;
}

function selfTimes({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): readonly SelfTime[] {
  const placeOf = new Map(nodes.map(({ id, callFrame }) => [id, placeName(callFrame)]));
  const micros = new Map<string, number>();
  let all = 0;
  for (const [at, id] of samples.entries()) {
    const spent = timeDeltas[at] ?? 0;
    const place = placeOf.get(id) ?? '(unknown)';
    // The profiler's own start and stop.
    if (place.includes('node:inspector')) continue;
    micros.set(place, (micros.get(place) ?? 0) + spent);
    all += spent;
  }
  return [...micros].map(([place, spent]) => ({ place, share: (100 * spent) / all })).toSorted((one, other) => other.share - one.share);
}

export function placeName({
  functionName,
  url,
  lineNumber,
}: {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
}): string {
  const name = functionName === '' ? '(anonymous)' : functionName;
  if (url === '') return name;
  const file = url.startsWith('file://') ? relative(root, new URL(url).pathname) : url;
  return `${name}  ${file}:${lineNumber + 1}`;
}
