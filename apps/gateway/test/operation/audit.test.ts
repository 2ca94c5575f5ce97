/** The audit file, on a real disk. */
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRedactor, defineTool, ToolExecutionService } from '@holdfast/core';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { argumentsHash, openAudit } from '../../src/operation/audit.ts';
import type { FinishedCall } from '../../src/operation/finished-calls.ts';
import { createOperation } from '../../src/operation/operation.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-audit-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const finished = (callId: string): FinishedCall => ({
  time: '2026-11-22T10:00:00.000Z',
  callId,
  turnId: 't',
  toolName: 'files__read',
  server: 'files',
  status: 'success',
  outcome: 'success',
  code: undefined,
  category: undefined,
  error: 'never in it',
  attempts: 1,
  servedBy: 'files__read',
  durationMs: 1.5,
  principal: 'alice',
  client: 'claude-code',
  era: 'modern',
  arguments: { path: '/etc/passwd', b: 1 },
});

const linesOf = (path: string): readonly Record<string, unknown>[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

const settled = async (done: () => boolean): Promise<void> => {
  while (!done()) await new Promise((resolve) => setTimeout(resolve, 5));
};

const noFault = (text: string): never => expect.unreachable(text);

describe('a line', () => {
  test('has the action of an operator', async () => {
    const path = join(folder, 'audit.jsonl');
    const service = new ToolExecutionService({ tools: [] });
    const operation = createOperation({ service, log: 'off', audit: path, redact: createRedactor(), onFault: noFault });
    operation.action({ text: 'ops opened the circuit of read for alice', tool_id: 'read' });
    operation.action({ text: 'ops began a login to files' });
    await operation.close();
    expect(linesOf(path)).toMatchObject([
      { event: 'operator_action', tool_id: 'read', text: 'ops opened the circuit of read for alice', time: expect.any(String) },
      { event: 'operator_action', tool_id: null, text: 'ops began a login to files' },
    ]);
  });

  test('has the client, the tool and the outcome; only a hash of the arguments', async () => {
    const path = join(folder, 'deep', 'audit.jsonl');
    const service = new ToolExecutionService({ tools: [defineTool({ name: 'read', run: () => 'ok' })] });
    const operation = createOperation({ service, log: 'off', audit: path, redact: createRedactor(), onFault: noFault });
    const args = { path: '/private', list: [{ z: 1, a: 2 }] };
    operation.announce({ callId: 'c', toolName: 'read', server: 'files', principal: 'alice', client: 'x', era: 'legacy', arguments: args });
    await service.executeTool({ toolName: 'read', callId: 'c', arguments: args });
    await operation.close();
    const hash = createHash('sha256').update('{"list":[{"a":2,"z":1}],"path":"/private"}').digest('hex');
    expect(linesOf(path)).toEqual([
      {
        time: expect.any(String) as string,
        event: 'call',
        principal: 'alice',
        client: 'x',
        era: 'legacy',
        tool_id: 'read',
        server: 'files',
        arguments_sha256: hash,
        outcome: 'success',
        code: null,
        attempts: 1,
        served_by: 'read',
        duration_ms: expect.any(Number) as number,
        call_id: 'c',
        turn_id: expect.any(String) as string,
      },
    ]);
    expect(readFileSync(path, 'utf8')).not.toContain('/private');
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('the hash does not depend on the order of keys, and differs for different values', () => {
    const shuffled = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(shuffled);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .toReversed()
          .map(([key, field]) => [key, shuffled(field)]),
      );
    };
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const plain = JSON.parse(JSON.stringify(value)) as unknown;
        expect(argumentsHash(shuffled(plain))).toBe(argumentsHash(plain));
      }),
    );
    expect(argumentsHash({ a: 1 })).not.toBe(argumentsHash({ a: '1' }));
    expect(argumentsHash({ a: [1, 2] })).not.toBe(argumentsHash({ a: [2, 1] }));
    expect(argumentsHash(undefined)).toBeNull();
    const deep = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`) as unknown;
    expect(() => argumentsHash(deep)).not.toThrow();
  });
});

describe('the file', () => {
  test('keeps its content, and permissions of others are removed', async () => {
    const path = join(folder, 'audit.jsonl');
    writeFileSync(path, '{"before":true}\n');
    chmodSync(path, 0o666);
    const audit = openAudit({ path, onFault: noFault });
    audit.add(finished('a'));
    await audit.close();
    expect(linesOf(path)).toMatchObject([{ before: true }, { call_id: 'a' }]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('is rotated when it is large; a limited number is kept', async () => {
    const path = join(folder, 'audit.jsonl');
    const audit = openAudit({ path, onFault: noFault, maxBytes: 700, keep: 2 });
    const textOf = (end: string): string => {
      try {
        return readFileSync(`${path}${end}`, 'utf8');
      } catch {
        // It does not exist yet, or is being renamed.
        return '';
      }
    };
    const isWritten = (callId: string): boolean => ['', '.1'].some((end) => textOf(end).includes(`"${callId}"`));
    // Lines that wait together are written together.
    for (let index = 0; index < 12; index++) {
      audit.add(finished(`c${index}`));
      await settled(() => isWritten(`c${index}`));
    }
    await audit.close();
    expect(readdirSync(folder).toSorted()).toEqual(['audit.jsonl', 'audit.jsonl.1', 'audit.jsonl.2']);
    const kept = ['.2', '.1', ''].flatMap((end) => linesOf(`${path}${end}`).map(({ call_id: id }) => id));
    expect(kept).toEqual(Array.from({ length: kept.length }, (_, index) => `c${12 - kept.length + index}`));
    for (const end of ['.2', '.1', '']) expect(statSync(`${path}${end}`).size).toBeLessThanOrEqual(700);
  });

  test('that cannot be written is reported once; the missing calls are counted when it can be written again', async () => {
    const path = join(folder, 'gone', 'audit.jsonl');
    writeFileSync(join(folder, 'gone'), 'a file where a folder should be');
    const faults: string[] = [];
    const audit = openAudit({ path, onFault: (text) => faults.push(text) });
    audit.add(finished('a'));
    await settled(() => faults.length === 1);
    audit.add(finished('b'));
    await new Promise((resolve) => setTimeout(resolve, 50));
    rmSync(join(folder, 'gone'));
    mkdirSync(join(folder, 'gone'));
    audit.add(finished('c'));
    await settled(() => faults.length > 1);
    await audit.close();
    expect(faults).toEqual([
      expect.stringContaining('cannot be written') as string,
      expect.stringContaining('is written again; 2 calls are missing') as string,
    ]);
    expect(linesOf(path)).toMatchObject([{ event: 'gap', missing: 2 }, { call_id: 'c' }]);
  });

  test('has a bounded queue: further lines are counted', async () => {
    const path = join(folder, 'audit.jsonl');
    const audit = openAudit({ path, onFault: noFault, maxWaiting: 10 });
    for (let index = 0; index < 25; index++) audit.add(finished(`c${index}`));
    await audit.close();
    const lines = linesOf(path);
    expect(lines.filter(({ event }) => event === 'call')).toHaveLength(10);
    expect(lines.find(({ event }) => event === 'gap')).toMatchObject({ missing: 15 });
  });
});

test('a path that cannot be written is reported at the start', async () => {
  const faults: string[] = [];
  const audit = openAudit({ path: folder, onFault: (text) => faults.push(text) });
  await audit.close();
  expect(faults).toEqual([expect.stringMatching(/^The audit file .* cannot be written: EISDIR.*Calls continue without the audit\.$/s)]);
});
