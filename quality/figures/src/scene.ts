/** Owns the traffic that is judged: turns by seed, in outages by seed, through a whole gateway over HTTP. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGateway } from '@holdfast/gateway';
import { parseManifest } from '@holdfast/manifest';
import { sqliteStore } from '@holdfast/store-sqlite';
import { createDraw, type Draw } from './draw.ts';

/** A tool that does what its arguments say, attempt by attempt; beyond the script, its last line counts. */
const toolModule = `
const made = new Map();
export default async function run({ id, script }, { signal }) {
  const attempt = made.get(id) ?? 0;
  made.set(id, attempt + 1);
  const what = script[Math.min(attempt, script.length - 1)];
  const wait = (ms) => new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => { clearTimeout(timer); reject(signal.reason); });
  });
  await wait(what === 'hangs' ? 10_000 : 2);
  if (what === 'down') throw Object.assign(new Error('connect ECONNREFUSED 10.0.0.' + attempt + ':80'), { code: 'ECONNREFUSED' });
  if (what === 'wrong') throw Object.assign(new Error('no such record ' + id), { status: 404 });
  if (what === 'limited') throw Object.assign(new Error('slow down'), { status: 429, headers: { 'retry-after-ms': '30' } });
  return { id, attempt };
}
`;

export const toolNames: readonly string[] = [
  'search',
  'book',
  'book_backup',
  'mail',
  'slow',
  'narrow',
  'plain',
  'pay',
  'hedged',
  'patient',
  'dead',
];

const run = { module: './tool.mjs' };
const retry = { max_attempts: 3, initial_delay_ms: 4, max_delay_ms: 8 };
const tools = [
  { id: 'search', run, effect: 'read', retry_policy: retry, circuit_breaker: { failure_threshold: 6, open_ms: 60 } },
  {
    id: 'book',
    run,
    effect: 'idempotent',
    retry_policy: { ...retry, max_attempts: 2 },
    alternatives: ['book_backup'],
    circuit_breaker: { failure_threshold: 4, open_ms: 80 },
  },
  { id: 'book_backup', run, effect: 'idempotent', retry_policy: retry, circuit_breaker: false },
  {
    id: 'mail',
    run,
    effect: 'read',
    retry_policy: retry,
    fallback: { sent: false },
    circuit_breaker: { failure_threshold: 5, open_ms: 50 },
  },
  { id: 'slow', run, effect: 'read', timeout_ms: 25, retry_policy: { ...retry, max_attempts: 2 }, circuit_breaker: false },
  {
    id: 'narrow',
    run,
    effect: 'read',
    retry_policy: retry,
    concurrency: { limit: 2, queue: 2 },
    circuit_breaker: { failure_threshold: 8, open_ms: 40 },
  },
  {
    id: 'hedged',
    run,
    effect: 'read',
    retry_policy: retry,
    hedge: { after_ms: 8, max_hedges: 1 },
    input_schema: { type: 'object', required: ['script'] },
    circuit_breaker: { failure_threshold: 8, open_ms: 40 },
  },
  {
    id: 'patient',
    run,
    effect: 'read',
    retry_policy: retry,
    circuit_breaker: { failure_threshold: 3, open_ms: 30 },
    wait_for_recovery: { max_wait_ms: 150 },
  },
  { id: 'plain', run, effect: 'read', retry_policy: { ...retry, max_attempts: 1 }, circuit_breaker: false, wait_for_recovery: false },
  // Refused from its third call on, however slow the machine is.
  {
    id: 'dead',
    run,
    effect: 'read',
    retry_policy: { ...retry, max_attempts: 1 },
    circuit_breaker: { failure_threshold: 2, open_ms: 600_000 },
  },
  { id: 'pay', run, effect: 'unsafe', retry_policy: retry, circuit_breaker: { failure_threshold: 5, open_ms: 60 } },
];

export interface Scene extends AsyncDisposable {
  readonly url: string;
  readonly storePath: string;
  readonly folder: string;
  readonly get: <T>(path: string) => Promise<T>;
  readonly text: (path: string) => Promise<string>;
}

/** Runs the turns; every answer of the gateway has been given when it resolves. */
export async function playScene(seed: number, { turns, outages }: { readonly turns: number; readonly outages: number }): Promise<Scene> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-figures-'));
  const file = join(folder, 'holdfast.yaml');
  const words = JSON.stringify({
    defaults: { timeout_ms: 40 },
    tools,
    store: { path: join(folder, 'trace.db') },
    gateway: { history: { retention_days: 1 } },
  });
  await writeFile(file, words);
  await writeFile(join(folder, 'tool.mjs'), toolModule);
  const { manifest, problems } = parseManifest(words, { file });
  if (!manifest) throw new Error(JSON.stringify(problems));
  const storePath = join(folder, 'trace.db');
  const gateway = await createGateway(manifest, { log: 'off', store: sqliteStore({ path: storePath }) });
  const { url } = await gateway.listen({ host: '127.0.0.1', port: 0 });
  const text = async (path: string): Promise<string> => (await fetch(`${url}${path}`)).text();
  const plans = plansOf(seed, turns, outages);
  const work = plans.values();
  await Promise.all(Array.from({ length: 6 }, () => drive(url, work)));
  // Late work and the last second of the history.
  await new Promise((resolve) => setTimeout(resolve, 300));
  return {
    url,
    storePath,
    folder,
    text,
    get: async <T>(path: string): Promise<T> => JSON.parse(await text(path)) as T,
    [Symbol.asyncDispose]: async () => {
      await gateway.close(0);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function drive(url: string, work: Iterator<Plan> & Iterable<Plan>): Promise<void> {
  for (const plan of work) {
    const response = await fetch(`${url}/v1/turns`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(plan),
    });
    if (!response.ok) throw new Error(`${plan.turn_id}: ${await response.text()}`);
    await response.arrayBuffer();
  }
}

interface PlannedCall {
  readonly call_id: string;
  readonly tool_id: string;
  readonly arguments: object;
  readonly depends_on?: readonly string[];
  readonly optional?: true;
  readonly critical?: true;
}

interface Plan {
  readonly turn_id: string;
  readonly timeout_ms?: number;
  readonly calls: readonly PlannedCall[];
}

const troubles = ['down', 'wrong', 'hangs', 'limited'] as const;

/** An outage: a tool fails in one way for some turns. */
interface Outage {
  readonly tool: string;
  readonly from: number;
  readonly to: number;
  readonly how: (typeof troubles)[number];
}

function plansOf(seed: number, turns: number, outages: number): readonly Plan[] {
  const draw = createDraw(seed);
  const all = Array.from({ length: outages }, (): Outage => {
    const from = draw.below(turns);
    return { tool: draw.of(toolNames), from, to: from + 3 + draw.below(15), how: draw.of(troubles) };
  });
  return Array.from({ length: turns }, (_, index) =>
    planOf(
      draw,
      index,
      all.filter(({ from, to }) => index >= from && index < to),
    ),
  );
}

function planOf(draw: Draw, index: number, outages: readonly Outage[]): Plan {
  const id = `turn-${index}`;
  const calls = Array.from({ length: 1 + draw.below(5) }, (_, place): PlannedCall => {
    const tool = draw.of(toolNames);
    const outage = outages.find((each) => each.tool === tool);
    const call_id = `c${place}`;
    const optional = draw.below(4) === 0;
    return {
      call_id,
      tool_id: tool,
      arguments: argumentsOf(draw, `${id} ${call_id}`, tool, outage),
      ...(place > 0 && draw.below(3) === 0 ? { depends_on: [`c${draw.below(place)}`] } : {}),
      ...(optional ? { optional: true } : draw.below(5) === 0 ? { critical: true } : {}),
    };
  });
  return { turn_id: id, calls, ...(draw.below(8) === 0 ? { timeout_ms: 20 + draw.below(60) } : {}) };
}

/** A model leaves something out now and then. */
function argumentsOf(draw: Draw, id: string, tool: string, outage: Outage | undefined): object {
  if (tool === 'dead') return { id, script: ['down'] };
  return tool === 'hedged' && draw.below(6) === 0 ? { id } : { id, script: outage ? [outage.how] : scriptOf(draw) };
}

/** Most attempts succeed; some calls need a second or a third one. */
function scriptOf(draw: Draw): readonly string[] {
  const kind = draw.below(20);
  if (kind < 14) return ['good'];
  if (kind < 17) return [draw.of(troubles), 'good'];
  if (kind < 19) return ['down', 'down', 'good'];
  return [draw.of(troubles)];
}
