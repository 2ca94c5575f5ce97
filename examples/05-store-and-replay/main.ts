/** The trace is the record: kept in a file, replayed without the tools, replayed under another policy. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineTool, ToolExecutionService } from '@holdfast/core';
import { replayTurn } from '@holdfast/core/replay';
import { sqliteStore } from '@holdfast/store-sqlite';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-'));
const store = sqliteStore({ path: join(folder, 'trace.db') });
let attempts = 0;
const search = defineTool({
  name: 'search',
  run() {
    attempts += 1;
    if (attempts < 3) throw Object.assign(new Error('HTTP 503'), { status: 503 });
    return ['a result'];
  },
});
const service = new ToolExecutionService({ tools: [search], store, policy: { retry: { initialDelayMs: 5 } } });
const turn = await service.executeTurn({ turnId: 'monday', calls: [{ callId: 'first', toolName: 'search' }] });
await service.close();

const events = (await store.readTurn('monday')) ?? [];
const again = replayTurn(events);
assert.deepEqual(again.differences, []);
assert.equal(again.report.outcome, turn.outcome);
assert.equal(attempts, 3); // the replay called no tool

const whatIf = replayTurn(events, { tools: { search: { retry: { maxAttempts: 2 } } } });
assert.equal(whatIf.report.outcome, 'failed');
assert.deepEqual(
  whatIf.differences.map((one) => one.kind === 'decision' && [one.recorded?.action, one.replayed?.action]),
  [['retry', 'escalate']],
);
await store.close();
rmSync(folder, { recursive: true });
console.log(`With two attempts: ${whatIf.report.summary}`);
