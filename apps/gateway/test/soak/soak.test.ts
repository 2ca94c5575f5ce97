/**
 * Many calls, one in twenty of which fails in one of the ways of the fault tests: every call is answered, and the memory of the gateway does
 * not grow with the number of calls. `npm run soak` makes 200,000 calls, which finds smaller leaks.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeWords } from '../fixtures/gateway.ts';
import { startHostileServer } from '../fixtures/hostile/http.ts';
import { programServer } from '../fixtures/manifests.ts';
import { hostileProgram } from '../fixtures/programs.ts';
import { openCaller, type Caller } from './caller.ts';
import type { Condition } from './gateway.program.ts';

const total = Number(process.env['HOLDFAST_SOAK_CALLS'] ?? 16_000);
/** After these calls, everything is compiled, and every cache is filled. */
const warmUp = 5;
const callers = 16;
const stretches = 10;

/** The faults, each with a pattern for its answer. */
const faults: readonly (readonly [string, RegExp])[] = [
  ['pipe__fail_write', /"isError":true/],
  ['pipe__invalid_params', /-32602/],
  ['pipe__no_content', /else/],
  ['pipe__secret', /"isError":true/],
  ['net__end_early', /"isError":true/],
  ['net__unavailable', /"isError":true/],
  ['net__html', /"isError":true/],
  ['net__half_json', /"isError":true/],
  ['pipe__no_such_tool', /-32602/],
  ['pipe__fail', /"isError":true/],
];

async function next<Value>(child: ChildProcess, say?: string): Promise<Value> {
  return await new Promise((resolve, reject) => {
    const ended = (code: number | null): void => {
      reject(new Error(`The gateway ended with ${String(code)}.`));
    };
    child.once('message', (message) => {
      child.off('exit', ended);
      resolve(message as Value);
    });
    child.once('exit', ended);
    if (say !== undefined) child.send(say);
  });
}

/** One of many calls; its number determines whether and how it fails. */
async function one(caller: Caller, number: number): Promise<void> {
  if (number % 20_000 === 19_999) return void (await caller.call('pipe__die'));
  if (number % 2_000 === 1_999) return await caller.abandon('pipe__hang');
  if (number % 1_000 === 999) return void (await caller.call('pipe__slow', { milliseconds: 30 }));
  if (number % 20 === 7) {
    const [tool, wanted] = faults[((number - 7) / 20) % faults.length] ?? ['', /./];
    const answerText = await caller.call(tool);
    if (!wanted.test(answerText)) throw new Error(`${tool} (call ${number}) was answered: ${answerText.slice(0, 500)}`);
    return;
  }
  const answerText = await caller.call(number % 10 === 3 ? 'net__echo' : 'pipe__echo', { message: `call ${number}` });
  // A killed server that restarts fails a call or two.
  if (!answerText.includes(`call ${number}"`) && !answerText.includes('"isError":true'))
    throw new Error(`Call ${number} was answered: ${answerText.slice(0, 500)}`);
  if (answerText.includes('"isError":true')) lostEchoes += 1;
}

let lostEchoes = 0;

async function stretch(url: string, from: number, to: number): Promise<void> {
  let number = from;
  await Promise.all(
    Array.from({ length: callers }, async () => {
      const caller = openCaller(url);
      while (number < to) {
        number += 1;
        await one(caller, number - 1);
      }
      caller.close();
    }),
  );
}

/** Returns the growth of a value per stretch, by least squares. */
function slope(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const covariance = values.reduce((sum, value, index) => sum + (index - middle) * (value - mean), 0);
  return covariance / values.reduce((sum, _value, index) => sum + (index - middle) ** 2, 0);
}

test(`${total} calls, 5 % of them faulty`, { timeout: Math.max(600_000, total * 10) }, async () => {
  await using net = await startHostileServer('modern', 'sse');
  const manifest = await writeWords({
    defaults: {
      timeout_ms: 2_000,
      retry_policy: { strategy: 'constant_backoff', initial_delay_ms: 1, max_attempts: 2, jitter: 'none' },
      circuit_breaker: { failure_threshold: 1_000_000 },
    },
    store: { path: 'trace.db' },
    mcp_servers: {
      pipe: { ...programServer(hostileProgram), restart_delay_ms: 10, max_restart_delay_ms: 20 },
      net: { url: net.url },
    },
    gateway: { reload: false, tool_lock: 'off', log: 'off' },
  });
  const child = fork(join(import.meta.dirname, 'gateway.program.ts'), [manifest], {
    execArgv: [
      '--expose-gc',
      '--import',
      join(import.meta.dirname, '../../../cli/bin/small-heap.mjs'),
      '--conditions=@holdfast/source',
      '--disable-warning=ExperimentalWarning',
    ],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  try {
    const { url } = await next<{ url: string }>(child);
    const caller = openCaller(url);
    for (const tool of ['pipe__echo', 'net__echo'])
      await expect.poll(async () => await caller.call(tool, { message: 'up' }), { timeout: 20_000 }).toContain('up');
    caller.close();

    const conditions: Condition[] = [];
    for (let done = 0; done < stretches; done += 1) {
      await stretch(url, Math.round((total * done) / stretches), Math.round((total * (done + 1)) / stretches));
      // Abandoned calls end at their time limit.
      if (done === 1 || done === stretches - 1) await new Promise((resolve) => setTimeout(resolve, 3_000));
      conditions.push(await next<Condition>(child, 'condition'));
    }
    const steady = conditions.slice(warmUp);
    const callsInOne = total / stretches;
    const steadyCalls = total - callsInOne * warmUp;
    const heap = steady.map(({ heapBytes }) => heapBytes);
    const heapPerCall = slope(heap) / callsInOne;
    const residentPerCall = slope(steady.map(({ residentBytes }) => residentBytes)) / callsInOne;
    const [early, late] = [conditions[1], conditions.at(-1)];
    console.info({
      heapMb: conditions.map(({ heapBytes }) => Math.round(heapBytes / 1e5) / 10),
      residentMb: conditions.map(({ residentBytes }) => Math.round(residentBytes / 1e6)),
      heapPerCall,
      residentPerCall,
      lostEchoes,
      resources: late?.resources,
    });
    // A megabyte more or less is not significant, and some bounded caches fill over time; in a long run, that is little per call.
    const heapGrowth = Math.max(3e6, total * 10);
    expect(heapPerCall * steadyCalls).toBeLessThan(heapGrowth);
    // Referenced memory outside of the heap. The other memory of the process varies by tens of megabytes with the allocator and the compiler,
    // and is significant only in a long run.
    expect((slope(steady.map(({ externalBytes }) => externalBytes)) / callsInOne) * steadyCalls).toBeLessThan(heapGrowth);
    expect(residentPerCall * steadyCalls).toBeLessThan(total >= 200_000 ? total * 100 : 2e8);
    // The run is long enough: an object with a string that is kept for each call would be detected.
    const leaking = heap.map((bytes, index) => bytes + index * callsInOne * 800);
    expect((slope(leaking) / callsInOne) * steadyCalls).toBeGreaterThan(heapGrowth);
    // The server, and the process that ends it when the gateway is killed.
    expect(late?.children.toSorted()).toEqual(early?.children.toSorted());
    expect(late?.children.filter((child) => child.includes('stdio.program.ts'))).toHaveLength(1);
    expect(late?.warnings).toEqual([]);
    for (const [kind, count] of Object.entries(late?.resources ?? {}))
      expect(`${kind} ${count <= (early?.resources[kind] ?? 0) + 4}`).toBe(`${kind} true`);
    expect(lostEchoes).toBeLessThan(total / 1_000);

    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.send('close');
    // It ends by itself: nothing keeps it alive.
    expect(await gone).toBe(0);
  } finally {
    child.kill('SIGKILL');
  }
});
