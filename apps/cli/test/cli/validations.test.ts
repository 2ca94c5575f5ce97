/** What happened outside of turns: it is shown when it is asked for, and is never taken for a turn. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ToolExecutionService, defineTool } from '@holdfast/core';
import { sqliteStore } from '@holdfast/store-sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { execute as explain } from '../../src/actions/explain.ts';
import { execute as trace } from '../../src/actions/trace.ts';
import { execute as turns } from '../../src/actions/turns.ts';
import { createRecorder } from './recorder.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-validations-'));
const place = { store: join(folder, 'trace.db'), output: 'auto' } as const;
let control = '';

beforeAll(async () => {
  const store = sqliteStore({ path: place.store });
  const service = new ToolExecutionService({ tools: [defineTool({ name: 'weather', run: () => 'sunny' })], store, seed: 'validations' });
  service.subscribe(({ turn_id: id }) => void (id.endsWith('-control') && (control = id)));
  await service.executeTool({ toolName: 'weather', callId: 'first' });
  await new Promise((resolve) => setTimeout(resolve, 5));
  service.recordValidationFailure({
    stage: 'request',
    problems: [{ rule: 'request-shape', path: '', message: 'The request has no messages.' }],
  });
  await service.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the list says that it is no turn', async () => {
  const { console, output } = createRecorder(120);
  expect(await turns(undefined, { ...place, limit: 20 }, console)).toBe(0);
  expect(output().stdout).toMatch(new RegExp(`${control} .* no turn .* 1 event outside of turns`, 'u'));
  expect(output().stdout).not.toContain('INTERRUPTED');
});

test('the latest turn is a turn', async () => {
  const { console, output } = createRecorder(120);
  await trace(undefined, place, console);
  expect(output().stdout).toContain('✔ first');
});

test('trace shows it by its id', async () => {
  const { console, output } = createRecorder(120);
  await trace(control, place, console);
  expect(output().stdout).toContain('A request failed validation: 1 problem: The request has no messages. (request-shape)');
});

test('explain has every failed validation, as text and as JSON', async () => {
  const text = createRecorder(120);
  expect(await explain(undefined, { ...place, turn: control }, text.console)).toBe(0);
  expect(text.output().stdout).toContain('   The request has no messages.\n     rule request-shape\n');
  const data = createRecorder(120);
  await explain(undefined, { ...place, turn: control, output: 'json' }, data.console);
  expect(JSON.parse(data.output().stdout)).toMatchObject({
    turn_id: control,
    failed_validations: [{ stage: 'request', problems: [{ rule: 'request-shape' }] }],
  });
});
