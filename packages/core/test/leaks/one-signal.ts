/** A program: 100,000 calls with every kind of end on one signal that outlives them. Prints what is left. */
import { getEventListeners } from 'node:events';
import { defineTool, ToolExecutionService } from '../../src/index.ts';
import { heapAfterCollection, timersSet } from './heap.ts';

const unavailable = Object.assign(new Error('down'), { status: 503 });
const service = new ToolExecutionService({
  tools: [
    defineTool({ name: 'works', run: async () => ({ fine: true }) }),
    defineTool({ name: 'works at once', run: () => 1 }),
    defineTool({
      name: 'fails',
      retry: { maxAttempts: 2, initialDelayMs: 0 },
      breaker: false,
      run: () => {
        throw unavailable;
      },
    }),
    defineTool({ name: 'listens', run: async (_args: unknown, { signal }) => signal.aborted }),
    defineTool({ name: 'waits its turn', concurrency: { limit: 4 }, run: async () => 1 }),
  ],
});
const names = service.tools.map(({ name }) => name);
const { signal } = new AbortController();
const warnings: string[] = [];
process.on('warning', ({ name }) => void warnings.push(name));

let done = 0;
let maxListeners = 0;
async function run(until: number): Promise<number> {
  while (done < until) {
    const calls = Array.from({ length: 500 }, (_, index) => ({
      toolName: names[(done + index) % names.length] ?? '',
      arguments: { index },
    }));
    const kind = (done / 500) % 3;
    if (kind === 0) {
      const answers = calls.map((call) => service.executeTool(call, { signal, timeoutMs: 60_000 }));
      maxListeners = Math.max(maxListeners, getEventListeners(signal, 'abort').length);
      await Promise.all(answers);
    } else if (kind === 1) await service.executeToolBatch(calls, { signal });
    else await service.executeTurn({ calls }, { signal });
    done += 500;
  }
  return heapAfterCollection();
}

const heap: number[] = [];
for (const calls of [20_000, 60_000, 100_000]) heap.push(await run(calls));
const listeners = getEventListeners(signal, 'abort').length;
console.log(JSON.stringify({ heap, listeners, maxListeners, timers: timersSet(), warnings }));
