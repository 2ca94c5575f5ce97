import { manualSystem } from '@holdfast/core/testing';
import type { JsonObject } from '@holdfast/mcp-wire/server';
import { describe, expect, it } from 'vitest';
import { type Handler, servers, tool } from '../catalog/scene.ts';
import { callsScene, errorOf, failed, request, text, textOf } from './scene.ts';

const read = { annotations: { readOnlyHint: true } };
const abortable: Handler = (_params, { signal }) =>
  new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)));

describe('progress', () => {
  it('of the server reaches the client and the trace, unchanged', async () => {
    const scene = await callsScene(servers(['a']), { a: [tool('slow', read)] });
    scene.upstream('a').onCall = (_params, { onProgress }) => {
      onProgress?.({ progress: 1, total: 2, message: 'half', 'x-own': 1 });
      return text('done');
    };
    const traced: unknown[] = [];
    scene.service.subscribe((event) => event.event_type === 'ToolProgress' && traced.push(event));
    const asked = request('a__slow', {}, { wantsProgress: true });
    await scene.calls.handle(asked);
    expect(asked.progress).toEqual([{ progress: 1, total: 2, message: 'half', 'x-own': 1 }]);
    expect(traced).toMatchObject([{ progress: 1, total: 2, message: 'half' }]);
  });

  it('is unchanged, from 0', async () => {
    const scene = await callsScene(servers(['a']), { a: [tool('slow', read)] });
    scene.upstream('a').onCall = (_params, { onProgress }) => {
      for (const progress of [0, 50, 100]) onProgress?.({ progress, total: 100 });
      return text('done');
    };
    const asked = request('a__slow', {}, { wantsProgress: true });
    await scene.calls.handle(asked);
    expect(asked.progress.map(({ progress }) => progress)).toEqual([0, 50, 100]);
  });

  it('only increases, also across retries', async () => {
    const scene = await callsScene(servers(['a']), { a: [tool('slow', read)] });
    let calls = 0;
    scene.upstream('a').onCall = (_params, { onProgress }) => {
      for (const progress of [1, 2, 2]) onProgress?.({ progress });
      return ++calls === 2 ? text('done') : failed('503 Service Unavailable');
    };
    const asked = request('a__slow', {}, { wantsProgress: true });
    await scene.calls.handle(asked);
    const reported = asked.progress.map(({ progress }) => progress as number);
    expect(reported).toHaveLength(6);
    expect(reported.every((value, index) => index === 0 || value > (reported[index - 1] ?? 0))).toBe(true);
    expect(reported.slice(0, 2)).toEqual([1, 2]);
  });

  it('is not requested from a server if it is not used', async () => {
    const scene = await callsScene(servers(['a']), { a: [tool('slow', read)] });
    await scene.call('a__slow');
    expect(scene.upstream('a').requests.at(-1)?.options.onProgress).toBeUndefined();
    await scene.service.executeTool({ toolName: 'a__slow', arguments: {} });
    expect(scene.upstream('a').requests.at(-1)?.options.onProgress).toBeDefined();
  });

  it('is not sent after the result', async () => {
    const scene = await callsScene(servers(['a']), { a: [tool('slow', read)] });
    let late: ((progress: JsonObject) => void) | undefined;
    scene.upstream('a').onCall = (_params, { onProgress }) => {
      late = onProgress;
      return text('done');
    };
    const asked = request('a__slow', {}, { wantsProgress: true });
    await scene.calls.handle(asked);
    late?.({ progress: 5 });
    expect(asked.progress).toEqual([]);
  });
});

describe('notifications on the stream of a request', () => {
  it('are sent to its client, except for those about the whole server', async () => {
    const scene = await callsScene(servers(['a']), { a: [tool('slow', read)] });
    scene.upstream('a').onCall = (_params, { onNotification }) => {
      onNotification?.('notifications/message', { level: 'info', data: 'x' });
      onNotification?.('notifications/tools/list_changed', {});
      onNotification?.('notifications/resources/updated', { uri: 'a://b' });
      onNotification?.('notifications/own', { a: 1 });
      return text('done');
    };
    const asked = request('a__slow');
    await scene.calls.handle(asked);
    expect(asked.notified).toEqual([
      { method: 'notifications/message', params: { level: 'info', data: 'x' } },
      { method: 'notifications/own', params: { a: 1 } },
    ]);
  });
});

describe('a heartbeat', () => {
  const source = (more: string): string => servers(['a'], `gateway: { tool_lock: off${more} }`);

  it('is sent in each interval without progress, to a client that wants progress', async () => {
    const system = manualSystem();
    const scene = await callsScene(source(''), { a: [tool('slow', read)] }, { system });
    let progress: ((progress: JsonObject) => void) | undefined;
    let answer = (_result: JsonObject): void => {};
    scene.upstream('a').onCall = (_params, { onProgress }) => {
      progress = onProgress;
      return new Promise((resolve) => (answer = resolve));
    };
    const asked = request('a__slow', {}, { wantsProgress: true });
    const done = scene.calls.handle(asked);
    await system.advance(9999);
    expect(asked.progress).toEqual([]);
    await system.advance(1);
    expect(asked.progress).toMatchObject([{ message: 'Still running after 10 s' }]);
    await system.advance(5000);
    progress?.({ progress: 1, total: 3 });
    await system.advance(9999);
    expect(asked.progress).toHaveLength(2);
    await system.advance(1);
    expect(asked.progress[2]).toMatchObject({ total: 3, message: 'Still running after 25 s' });
    expect(asked.progress.map((one) => one['progress'] as number)).toEqual([expect.closeTo(0), 1, expect.closeTo(1)]);
    expect(asked.progress[2]?.['progress']).toBeGreaterThan(1);
    answer(text('done'));
    await done;
    expect(system.pendingTimers).toBe(0);
  });

  it.each([
    ['a client that wants no progress', '', false],
    ['a gateway where it is switched off', ', heartbeat_ms: false', true],
  ])('is not sent to %s', async (_who, more, wantsProgress) => {
    const system = manualSystem();
    const scene = await callsScene(source(more), { a: [tool('slow', read)] }, { system });
    scene.upstream('a').onCall = abortable;
    const asked = request('a__slow', {}, { wantsProgress });
    const done = scene.calls.handle(asked);
    await system.advance(29_999);
    expect(asked.progress).toEqual([]);
    asked.abort();
    await expect(done).rejects.toThrow('cancelled');
    expect(system.pendingTimers).toBe(0);
  });
});

describe('an attempt without progress', () => {
  const source =
    'version: 1\nmcp_servers: { a: { command: x, idle_timeout_ms: 1000, defaults: { retry_policy: { max_attempts: 1 } } } }\ngateway: { tool_lock: off }\n';

  it('is ended, and cancelled at the server', async () => {
    const system = manualSystem();
    const scene = await callsScene(source, { a: [tool('slow', read)] }, { system });
    const signals: AbortSignal[] = [];
    scene.upstream('a').onCall = (params, options) => {
      if (options.signal) signals.push(options.signal);
      return abortable(params, options);
    };
    const done = scene.call('a__slow');
    await system.advance(1000);
    const result = await done;
    expect(textOf(result)).toContain('Tool timeout: no progress for 1s');
    expect(errorOf(result)).toMatchObject({ code: 'TOOL_TIMEOUT', category: 'timeout', classification: 'transient' });
    expect(signals[0]?.aborted).toBe(true);
    expect(system.pendingTimers).toBe(0);
  });

  it('continues with progress, up to its time limit', async () => {
    const system = manualSystem();
    const scene = await callsScene(source, { a: [tool('slow', read)] }, { system });
    let progress: ((progress: JsonObject) => void) | undefined;
    scene.upstream('a').onCall = (params, options) => {
      progress = options.onProgress;
      return abortable(params, options);
    };
    const done = scene.call('a__slow');
    await system.settle();
    for (let count = 1; count <= 33; count++) {
      progress?.({ progress: count });
      await system.advance(900);
    }
    progress?.({ progress: 34 });
    await system.advance(300);
    expect(textOf(await done)).toContain('Tool timeout after 30s');
    expect(system.pendingTimers).toBe(0);
  });

  it('has no idle limit while the client is asked', async () => {
    const system = manualSystem();
    const scene = await callsScene(source, { a: [tool('ask', read)] }, { system });
    scene.upstream('a').onCall = async (_params, { onRequest }) => text(JSON.stringify(await onRequest?.('elicitation/create', {})));
    let answer = (_result: JsonObject): void => {};
    const client = { capabilities: { elicitation: {} } };
    const done = scene.call('a__ask', {}, { client, answers: () => new Promise((resolve) => (answer = resolve)) });
    await system.advance(60_000);
    answer({ a: 1 });
    expect(textOf(await done)).toBe('{"a":1}');
    expect(system.pendingTimers).toBe(0);
  });

  it('is answered at its time limit even if the server ignores the cancellation', async () => {
    const system = manualSystem();
    const scene = await callsScene(servers(['a']), { a: [tool('deaf')] }, { system });
    scene.upstream('a').onCall = () => new Promise(() => {});
    const done = scene.call('a__deaf');
    await system.advance(30_000);
    expect(errorOf(await done)).toMatchObject({ code: 'TOOL_TIMEOUT', ambiguous: true });
  });
});
