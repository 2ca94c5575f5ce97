/** What may be repeated. An unsafe tool whose outcome is unknown is never called again; a rule can forbid more. */
import assert from 'node:assert/strict';
import { defineTool, ToolExecutionService } from '@holdfast/core';

const keys: string[] = [];
const reset = (): never => {
  throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
};
const tools = [
  defineTool({ name: 'pay', effect: 'unsafe', run: reset, alternatives: ['pay_backup'] }),
  defineTool({ name: 'pay_backup', effect: 'unsafe', run: () => 'paid' }),
  defineTool({
    name: 'save',
    effect: 'idempotent',
    run(_args, { idempotencyKey }) {
      keys.push(idempotencyKey); // the same in every attempt of a call
      return reset();
    },
  }),
  defineTool({ name: 'report', effect: 'read', run: reset }),
] as const;
const service = new ToolExecutionService({
  tools,
  policy: { retry: { maxAttempts: 3, initialDelayMs: 1 } },
  recoveryRules: [{ name: 'reports-once', when: { tool: ['report'] }, deny: ['retry'], reason: 'reports are costly' }],
});

const pay = await service.executeTool({ toolName: 'pay' });
assert.deepEqual([pay.attempts, pay.error?.ambiguous, pay.error?.stoppedBy, pay.error?.retryable], [1, true, 'policy', false]);
assert.equal(pay.error?.advice, 'pay was started once and may have taken effect. Check before you call it again.');

const save = await service.executeTool({ toolName: 'save' });
assert.equal(save.attempts, 3);
assert.equal(new Set(keys).size, 1);

const report = await service.executeTool({ toolName: 'report' });
assert.deepEqual([report.attempts, report.error?.stoppedBy], [1, 'policy']);
console.log(pay.error?.advice);
