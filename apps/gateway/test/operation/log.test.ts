/** The log: a line for each call, from the trace of a real service. */
import { createRedactor, defineTool, ToolExecutionService } from '@holdfast/core';
import { describe, expect, test } from 'vitest';
import type { ModelReport } from '../../src/model-proxy/settings.ts';
import { createOperation, type Operation, type OperationOptions } from '../../src/operation/operation.ts';
import { standardErrorLines } from '../../src/operation/line-batch.ts';

const secret = 'sk-0123456789abcdef0123456789';

const failing = (message: string, status: number) => (): never => {
  throw Object.assign(new Error(message), { status });
};
let visits = 0;

const tools = [
  defineTool({ name: 'files__read', run: () => 'ok' }),
  defineTool({ name: 'flaky', run: () => (++visits % 2 === 1 ? failing('busy', 503)() : 'at last') }),
  defineTool({ name: 'broken', run: failing(`no such thing, api_key=${secret}`, 404) }),
  defineTool({ name: 'down', run: failing('down', 503), retry: { maxAttempts: 1 }, breaker: { failureThreshold: 1 } }),
  defineTool({ name: 'slow', run: () => new Promise(() => undefined), timeoutMs: 5, retry: { maxAttempts: 1 } }),
];

interface Running {
  readonly service: ToolExecutionService;
  readonly operation: Operation;
  readonly text: () => string;
  readonly lines: () => readonly Record<string, unknown>[];
}

function start(options: Partial<OperationOptions> = {}): Running {
  const service = new ToolExecutionService({ tools, policy: { retry: { initialDelayMs: 0 } } });
  let text = '';
  const operation = createOperation({
    service,
    log: 'json',
    audit: false,
    redact: createRedactor({ secrets: [secret] }),
    write: (more) => (text += more),
    onFault: (fault) => expect.unreachable(fault),
    ...options,
  });
  const lines = (): readonly Record<string, unknown>[] =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { service, operation, text: () => text, lines };
}

const call = (tool: string, id: string = tool): { readonly toolName: string; readonly callId: string; readonly arguments: object } => ({
  toolName: tool,
  callId: id,
  arguments: {},
});

describe('JSON', () => {
  test('one line has the client, the tool and the outcome', async () => {
    const { service, operation, lines } = start();
    operation.announce({
      callId: 'c-1',
      toolName: 'files__read',
      server: 'files',
      principal: 'alice',
      client: 'claude-code',
      era: 'legacy',
    });
    await service.executeTool(call('files__read', 'c-1'));
    await operation.close();
    expect(lines()).toEqual([
      {
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string,
        level: 'info',
        event: 'call',
        tool_id: 'files__read',
        server: 'files',
        status: 'success',
        outcome: 'success',
        attempts: 1,
        duration_ms: expect.any(Number) as number,
        circuit: 'closed',
        client: 'claude-code',
        principal: 'alice',
        call_id: 'c-1',
        turn_id: expect.any(String) as string,
      },
    ]);
  });

  test('attempts, codes, circuits and refusals', async () => {
    const { service, operation, lines } = start();
    for (const tool of ['flaky', 'broken', 'down', 'down', 'slow']) await service.executeTool(call(tool));
    await operation.close();
    expect(lines().map(({ level, tool_id: tool, outcome, attempts, circuit }) => [level, tool, outcome, attempts, circuit])).toEqual([
      ['info', 'flaky', 'success', 2, 'closed'],
      ['error', 'broken', 'failed', 1, 'closed'],
      ['error', 'down', 'failed', 1, 'open'],
      ['warn', 'down', 'refused', 0, 'open'],
      ['error', 'slow', 'timeout', 1, 'closed'],
    ]);
    expect(lines().map(({ code }) => code)).toEqual([undefined, 'NOT_FOUND', 'SERVICE_UNAVAILABLE', 'CIRCUIT_OPEN', 'TOOL_TIMEOUT']);
  });

  test('it contains no secrets, wherever they come from', async () => {
    const { service, operation, text } = start();
    operation.announce({ callId: 'c-2', toolName: 'broken', client: `evil ${secret}\n{"forged":true}` });
    await service.executeTool(call('broken', 'c-2'));
    await operation.close();
    expect(text()).not.toContain(secret);
    expect(text().trim().split('\n')).toHaveLength(1);
  });

  test('calls of a turn have the principal of the turn, whatever their ids are', async () => {
    const { service, operation, lines } = start();
    operation.announce({ callId: 'a', toolName: 'files__read', principal: 'bob' });
    operation.announce({ turnId: 't-1', principal: 'alice' });
    await service.executeTurn({ turnId: 't-1', calls: [call('files__read', 'a'), call('broken', 'b')] });
    await service.executeTool(call('files__read', 'a'));
    await service.executeTool(call('files__read', 'a'));
    await operation.close();
    expect(lines().map(({ call_id: id, principal }) => [id, principal])).toEqual([
      ['a', 'alice'],
      ['b', 'alice'],
      ['a', 'bob'],
      ['a', undefined],
    ]);
  });

  test('lines of one turn of the event loop are one write', async () => {
    const writes: string[] = [];
    const { service, operation } = start({ write: (text) => writes.push(text) });
    await Promise.all(Array.from({ length: 50 }, (_, index) => service.executeTool(call('files__read', `c${index}`))));
    await operation.close();
    expect(writes.join('').trim().split('\n')).toHaveLength(50);
    expect(writes.length).toBeLessThan(50);
  });

  test('a writer that throws fails no call', async () => {
    const { service, operation } = start({
      write: () => {
        throw new Error('EPIPE');
      },
    });
    expect((await service.executeTool(call('files__read'))).status).toBe('success');
    await operation.close();
  });

  test('disabled, there is no subscription', async () => {
    const { service, operation, text } = start({ log: 'off' });
    await service.executeTool(call('files__read'));
    await operation.close();
    expect(text()).toBe('');
  });
});

describe('text', () => {
  test('contains no control characters', async () => {
    const { service, operation, text } = start({ log: 'text' });
    operation.announce({ callId: 'f', toolName: 'flaky', client: '\u001B[2Jcursor\nfake line \u202Etxt' });
    await service.executeTool(call('flaky', 'f'));
    await service.executeTool(call('broken'));
    await operation.close();
    const [first, second, ...rest] = text().split('\n');
    expect(first).toMatch(/^\d\d:\d\d:\d\d\.\d{3} {2}success {4}flaky {2}[\d.]+ ms {2}2 attempts {2}for ·\[2Jcursor·fake line ·txt$/);
    expect(second).toMatch(/ failed {5}broken {2}[\d.]+ ms {2}NOT_FOUND {2}Tool error: no such thing, api_key=\[redacted\]$/);
    expect(rest).toEqual(['']);
  });
});

test('a repaired transcript is logged', () => {
  const report = {
    provider: 'openai',
    stage: 'refusal',
    format: 'openai-chat',
    url: 'http://a/v1/chat/completions',
    changes: [{ rule: 'call-id-form' }, { rule: 'call-id-form' }],
    problems: [],
    fault: { kind: 'history', rule: 'call-id-form' },
    sentAgain: true,
  } as unknown as ModelReport;
  const json = start();
  json.operation.modelReport(report);
  void json.operation.close();
  expect(json.lines()).toMatchObject([
    {
      level: 'warn',
      event: 'model',
      provider: 'openai',
      stage: 'refusal',
      repairs: { 'call-id-form': 2 },
      fault: 'call-id-form',
      sent_again: true,
    },
  ]);
  const plain = start({ log: 'text' });
  plain.operation.modelReport(report);
  void plain.operation.close();
  expect(plain.text()).toMatch(/ model {6}openai refusal {2}refused: call-id-form {2}sent again {2}repaired call-id-form ×2\n$/);
});

test('a slow reader gets no more lines, and then their number', () => {
  const written: string[] = [];
  const stream = { writableLength: 0, write: (text: string) => void written.push(text) };
  const write = standardErrorLines(stream as unknown as NodeJS.WriteStream);
  write('one\n');
  stream.writableLength = 5_000_000;
  write('two\nthree\n');
  write('four\n');
  stream.writableLength = 10;
  write('five\n');
  write('six\n');
  expect(written).toHaveLength(3);
  expect(written[1]).toMatch(/^\{"time":"[^"]+","level":"warn","event":"log","left_out":3\}\nfive\n$/);
});

test("the circuit in a line is that of the call's client", async () => {
  const asked: string[] = [];
  let text = '';
  const down = defineTool({ name: 'fetch', run: () => Promise.reject(Object.assign(new Error('down'), { status: 503 })) });
  const service = new ToolExecutionService({
    tools: [down],
    policy: { retry: { maxAttempts: 1 }, breaker: { failureThreshold: 1 } },
    partitionsOf: (id) => () => id,
  });
  const ofCall = (turnId: string, callId: string) => () => {
    asked.push(`${turnId === '' ? 'none' : 'turn'} ${callId}`);
    return callId;
  };
  const write = (more: string): void => void (text += more);
  const operation = createOperation({
    service,
    circuits: { ofCall },
    log: 'json',
    audit: false,
    redact: createRedactor(),
    write,
    onFault: () => {},
  });
  await service.executeTool({ toolName: 'fetch', callId: 'alice' });
  await operation.close();
  expect(asked).toEqual(['turn alice']);
  expect(JSON.parse(text)).toMatchObject({ tool_id: 'fetch', circuit: 'open' });
  expect(service.getToolHealth('fetch')?.circuit).toBe('closed');
});
