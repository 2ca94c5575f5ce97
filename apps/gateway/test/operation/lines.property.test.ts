/** A call is one line, whatever the names of clients and servers are. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRedactor } from '@holdfast/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openAudit } from '../../src/operation/audit.ts';
import { callLog } from '../../src/operation/call-log.ts';
import type { FinishedCall } from '../../src/operation/finished-calls.ts';

const secret = 'sk-0123456789abcdef0123456789';
const redact = createRedactor({ secrets: [secret] });
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 400 }),
  fc.constantFrom('\n{"forged":true}', '\u001B[2J', '\u202E', `x ${secret}`, '\u2028'),
);
const maybe = fc.option(text, { nil: undefined });
const call: fc.Arbitrary<FinishedCall> = fc.record({
  time: fc.constant('2026-11-22T10:00:00.000Z'),
  callId: text,
  turnId: text,
  toolName: text,
  server: fc.constantFrom('files', undefined),
  status: fc.constantFrom('success', 'error', 'timeout'),
  outcome: fc.constantFrom('success', 'fallback', 'partial', 'skipped', 'refused', 'cancelled', 'timeout', 'failed'),
  code: fc.constantFrom('NOT_FOUND', undefined),
  category: fc.constantFrom('not_found', undefined),
  error: maybe,
  attempts: fc.nat(9),
  servedBy: text,
  durationMs: fc.double({ min: 0, max: 1e6, noNaN: true }),
  principal: fc.constantFrom('alice', undefined),
  client: maybe,
  era: fc.constantFrom('legacy', 'modern', undefined),
  arguments: fc.anything(),
});

test('as JSON it can be parsed, and contains no secret', () => {
  const log = callLog('json', redact);
  fc.assert(
    fc.property(call, (finished) => {
      const line = log.call(finished, { circuit: 'closed', heldMs: 7_200 });
      expect(line).not.toContain('\n');
      expect(line).not.toContain(secret);
      expect(line.length).toBeLessThan(10_000);
      expect(JSON.parse(line)).toMatchObject({
        event: 'call',
        outcome: finished.outcome,
        attempts: finished.attempts,
        circuit: 'closed',
        held_ms: 7_200,
      });
    }),
  );
});

test('as text it contains no control characters and no secret', () => {
  const log = callLog('text', redact);
  fc.assert(
    fc.property(call, (finished) => {
      const line = log.call(finished, { circuit: 'closed', heldMs: 7_200 });
      expect(line).toContain('held for 8 s');
      expect(line).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
      expect(line).not.toContain(secret);
    }),
  );
});

test('in the audit file too', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-lines-'));
  const path = join(folder, 'audit.jsonl');
  const calls = fc.sample(call, 300);
  const audit = openAudit({ path, redact, onFault: (fault) => expect.unreachable(fault) });
  for (const finished of calls) audit.add(finished);
  await audit.close();
  const written = readFileSync(path, 'utf8');
  rmSync(folder, { recursive: true });
  expect(written).not.toContain(secret);
  const lines = written.trimEnd().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { readonly outcome: unknown }).outcome)).toEqual(calls.map(({ outcome }) => outcome));
});
