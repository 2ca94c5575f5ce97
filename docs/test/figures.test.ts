/** Figures on pages are those of the limits and benchmarks that they come from. */
import { expect, test } from 'vitest';
import { read } from './pages.ts';

/** The limit of a bundle in `.size-limit.mjs`, which cannot be imported before the packages are built. */
function sizeLimit(name: string): string {
  const limit = /limit: '([^']+)'/u.exec(read('.size-limit.mjs').split(`name: '${name}'`)[1] ?? '')?.[1];
  if (limit === undefined) throw new Error(`No limit of ${name}`);
  return limit;
}

const everything = sizeLimit('@holdfast/core, everything');
const standalone = sizeLimit('@holdfast/core/standalone, retry and circuit breaker');

test('the sizes are the limits of the size check', () => {
  const sizes = /^\| Size, minified and gzipped\s*\|([^|]+)\|/mu.exec(read('docs/comparison.md'))?.[1]?.trim();
  expect(sizes).toBe(`**${everything}** at most; retry and breaker ${standalone.replace(' kB', '')} \`r\``);
  expect(read('docs/guide/retry-and-breaker.md')).toContain(`Together they are at most ${standalone}, minified and gzipped.`);
  expect(read('CHANGELOG.md')).toContain(`together at most ${standalone}.`);
});

test('the sizing of PostgreSQL is that of the benchmark', () => {
  const bench = read('quality/bench/POSTGRES.md');
  const [, perSecond = '', append = ''] = /^\| one process\s*\|\s*([\d,]+) \|\s*([\d.]+ µs)/mu.exec(bench) ?? [];
  const bytes = /^\| an event\s*\|\s*([\d,]+) \|/mu.exec(bench)?.[1] ?? '';
  const length = /of (\d+) bytes each as JSON/u.exec(bench)?.[1] ?? '';
  const page = read('docs/guide/postgres.md');
  const valueOf = (row: string): string | undefined => new RegExp(`^\\| ${row}\\s*\\|\\s*([^|]+?)\\s*\\|`, 'mu').exec(page)?.[1];
  expect(valueOf('written by one process')).toBe(`${perSecond} events/s`);
  expect(valueOf('cost of `append` for the caller')).toBe(`${append} per event (p50)`);
  expect(valueOf('disk usage per event, indexes included')).toBe(`${bytes} bytes`);
  expect(page).toContain(`with events of ${length} bytes`);
  const eventsPerDay = 40_000_000;
  const gigabytes = (eventsPerDay * Number(bytes.replaceAll(',', ''))) / 1e9;
  expect(page).toContain(`are ${Math.round(eventsPerDay / 86_400)} events/s on average and ${gigabytes.toFixed(1)} GB a day`);
});

test('the figures of capacity planning are those of the benchmarks', () => {
  const page = read('docs/guide/cost-model.md');
  const durable = read('quality/bench/DURABLE.md');
  const postgres = read('quality/bench/POSTGRES.md');
  const valueOf = (row: string): string | undefined => new RegExp(`^\\| ${row}\\s*\\|\\s*([^|]+?)\\s*\\|`, 'mu').exec(page)?.[1];
  const [, byHand = ''] = /^\| written by hand\s*\|\s*(\d+) \|/mu.exec(durable.split('**Turns per second')[1] ?? '') ?? [];
  const [, ours = ''] = /^\| Holdfast\s*\|\s*(\d+) \|/mu.exec(durable.split('**Turns per second')[1] ?? '') ?? [];
  const [, entries = '', size = '', memory = ''] = /^\| Holdfast\s*\|\s*(\d+) \|\s*([\d,]+) \|\s*(\d+ MB) \|/mu.exec(durable) ?? [];
  const engine = /The server had (\d+ MB) resident/u.exec(durable)?.[1];
  const [, events = '', bytes = ''] = /^\| a turn of four calls \((\d+) events\) \|\s*([\d,]+) \|/mu.exec(postgres) ?? [];
  const perSecond = /^\| one process\s*\|\s*([\d,]+) \|/mu.exec(postgres)?.[1];
  expect(valueOf('turns per second, 32 concurrent, one worker, two busy cores')).toBe(ours);
  expect(valueOf('the same, written by hand with the Restate SDK')).toBe(byHand);
  expect(valueOf("entries and bytes in the engine's journal")).toBe(`${entries}, ${size}`);
  expect(valueOf('memory of a worker and of the engine after about 10,000 turns')).toBe(`${memory}, ${engine}`);
  expect(valueOf('events, and bytes in PostgreSQL with all indexes')).toBe(`${events}, ${bytes}`);
  expect(valueOf('events per second that one process writes to PostgreSQL')).toBe(perSecond);
});

test('the figures of the retry storm are those of the lab', () => {
  const storm = read('docs/lab/retry_storm.md');
  const cellsOf = (policy: string): readonly string[] =>
    new RegExp(`^\\| ${policy} .*$`, 'mu')
      .exec(storm)?.[0]
      .split('|')
      .map((cell) => cell.trim()) ?? [];
  const success = (policy: string): string => cellsOf(policy)[2]?.replace(/ ±.*/u, '') ?? '';
  const page = read('docs/why.md');
  expect(page).toContain(
    `five quick attempts per call leave ${success('naive5')} % of the turns successful; without any retry it is ${success('none')} %`,
  );
  expect(page).toContain(`\`adaptive\` reaches ${success('adaptive')} % with ${cellsOf('adaptive')[8]} requests per call`);
});
