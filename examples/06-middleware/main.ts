/** Your own concerns around every attempt, and a caller who cancels. */
import assert from 'node:assert/strict';
import { compose, defineTool, type Middleware, ToolExecutionService } from '@holdfast/core';

const log: string[] = [];
const logged =
  (name: string): Middleware =>
  (next) =>
  async (args, context) => {
    log.push(`${name} in`);
    try {
      return await next(args, context);
    } finally {
      log.push(`${name} out`);
    }
  };
const slow = defineTool({
  name: 'slow',
  run: (_args, { signal }) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, 10_000, 'late');
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
    }),
});
const quick = defineTool({ name: 'quick', run: () => 'done' });
// The first is the outermost: compose(a, b)(run) is a(b(run)).
const service = new ToolExecutionService({ tools: [slow, quick], middleware: [compose(logged('outer'), logged('inner'))] });

assert.equal((await service.executeTool({ toolName: 'quick' })).output, 'done');
assert.deepEqual(log, ['outer in', 'inner in', 'inner out', 'outer out']);

const controller = new AbortController();
setTimeout(() => controller.abort(new Error('the user left')), 20);
const { status, error } = await service.executeTool({ toolName: 'slow' }, { signal: controller.signal });
assert.deepEqual([status, error?.code, error?.classification], ['error', 'CANCELLED', 'neutral']);
console.log(error?.message);
