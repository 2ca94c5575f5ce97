/** How calls that a framework passes one by one are grouped into answers of the model. */
import { describe, expect, it } from 'vitest';
import { defineTool } from '../../../src/engine/tool/tool.ts';
import type { RunBench } from './support.ts';
import { modelCall, runBench } from './support.ts';

const echo = defineTool({ name: 'echo', run: (args: unknown) => args });
const quote = defineTool({ name: 'quote', input: { type: 'object', required: ['symbol'] }, run: () => 'quoted' });
const call = (callId: string, more: object = {}) => modelCall('echo', {}, { callId, ...more });

/** A tool that takes `delayMs` on the clock of the bench. */
const takes = (bench: () => RunBench, delayMs: number) =>
  defineTool({ name: 'takes', run: () => new Promise((resolve) => void bench().system.setTimer(delayMs, () => resolve('took'))) });

describe('one object for several answers', () => {
  it('does not apply the deadline of the first to the second', async () => {
    const { run, system } = runBench([echo], { turn: { timeoutMs: 1_000 } });
    const messages: unknown[] = [];
    await run.answerOne(call('1'), messages);
    await system.advance(3_600_000);
    expect((await run.answerOne(call('2'), messages)).result.status).toBe('success');
  });

  it.each([
    ['after a pause', { first: call('1'), second: call('2') }, 101],
    ['with a repeated id', { first: call('1'), second: call('1') }, 0],
  ])('begins the second %s', async (_what, { first, second }, pauseMs) => {
    const bench: RunBench = runBench([takes(() => bench, 900)], { turn: { timeoutMs: 1_000 } });
    const messages: unknown[] = [];
    await bench.system.until(bench.run.answerOne({ ...first, toolName: 'takes' }, messages));
    await bench.system.advance(pauseMs);
    const again = await bench.system.until(bench.run.answerOne({ ...second, toolName: 'takes' }, messages));
    expect(again.result.status).toBe('success');
  });

  it('begins the second with siblings that are all new', async () => {
    const bench: RunBench = runBench([takes(() => bench, 900)], { turn: { timeoutMs: 1_000 } });
    const messages: unknown[] = [];
    const answer = (callId: string, siblings: readonly string[]) =>
      bench.system.until(
        bench.run.answerOne({ ...call(callId), toolName: 'takes' }, messages, { siblings: siblings.map((sibling) => call(sibling)) }),
      );
    expect((await answer('1', ['1', '2'])).result.status).toBe('success');
    expect((await answer('2', ['2'])).result.error?.code).toBe('TURN_DEADLINE');
    expect((await answer('3', ['3', '4'])).result.status).toBe('success');
  });

  it('counts their invalid calls as separate attempts', async () => {
    const { run, session } = runBench([quote]);
    const messages: unknown[] = [];
    for (const callId of ['1', '1', '1']) await run.answerOne(modelCall('quote', {}, { callId }), messages);
    expect(session.feedback.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(run.stopped?.reason).toBe('validation_exhausted');
  });

  it('does not reuse results: a dependency on an earlier id waits for a new call', async () => {
    const { run, system } = runBench([echo]);
    const messages: unknown[] = [];
    await run.answerOne(call('a'), messages);
    await system.advance(5_000);
    const waiting = await system.until(run.answerOne(call('b', { dependsOn: ['a'] }), messages));
    expect(waiting.text).toContain('were not made');
  });
});

describe('calls that a framework runs one after the other', () => {
  it('share the deadline and the attempt of their answer', async () => {
    const bench: RunBench = runBench([takes(() => bench, 600), quote], { turn: { timeoutMs: 1_000 } });
    const { run, session, system } = bench;
    const turn = {};
    for (const callId of ['1', '2']) await run.answerOne(modelCall('quote', {}, { callId }), turn);
    expect(session.feedback.map(({ attempt }) => attempt)).toEqual([1, 1]);
    await system.until(run.answerOne({ ...call('3'), toolName: 'takes' }, turn));
    expect((await system.until(run.answerOne({ ...call('4'), toolName: 'takes' }, turn))).result.error?.code).toBe('TURN_DEADLINE');
    expect((await run.answerOne(call('5'), turn)).result.error?.code).toBe('TURN_DEADLINE');
  });

  it('share their attempt even with a backoff between them', async () => {
    const { run, session, system } = runBench([quote], { validationRetries: { backoff: { delaySeconds: () => 3 } } });
    const turn = {};
    for (const callId of ['1', '2']) await system.until(run.answerOne(modelCall('quote', {}, { callId }), turn));
    expect(session.feedback.map(({ attempt }) => attempt)).toEqual([1, 1]);
  });

  it('stay one answer over a pause when the framework has announced them', async () => {
    const { run, system } = runBench([echo]);
    const turn = {};
    const siblings = [call('1'), call('2', { dependsOn: ['1'] })];
    await run.answerOne(call('1'), turn, { siblings });
    await system.advance(5_000);
    expect((await run.answerOne(call('2', { dependsOn: ['1'] }), turn)).isError).toBe(false);
  });

  it('may be announced step by step', async () => {
    const { run, system } = runBench([echo]);
    const turn = {};
    const first = run.answerOne(call('1', { dependsOn: ['2'] }), turn, { siblings: [call('1'), call('2')] });
    const second = run.answerOne(call('2', { dependsOn: ['3'] }), turn, { siblings: [call('1'), call('2'), call('3')] });
    const third = run.answerOne(call('3'), turn);
    expect((await system.until(Promise.all([first, second, third]))).map(({ isError }) => isError)).toEqual([false, false, false]);
  });

  it.each([
    ['in the same list, which has grown', false],
    ['in another list, because the first cannot change', true],
  ])('may be announced %s', async (_how, isFrozen) => {
    const { run, system } = runBench([echo]);
    const turn = {};
    const siblings = [call('1'), call('2')];
    const first = run.answerOne(call('1', { dependsOn: ['2'] }), turn, { siblings: isFrozen ? Object.freeze([...siblings]) : siblings });
    siblings.push(call('3'));
    const given = isFrozen ? Object.freeze([...siblings]) : siblings;
    const second = run.answerOne(call('2', { dependsOn: ['3'] }), turn, { siblings: given });
    const third = run.answerOne(call('3'), turn, { siblings: given });
    expect((await system.until(Promise.all([first, second, third]))).map(({ isError }) => isError)).toEqual([false, false, false]);
  });

  it('refuses a list that cannot change each time, if it holds anything but calls', async () => {
    const { run } = runBench([echo]);
    const siblings = Object.freeze([1]) as never;
    for (const callId of ['1', '2']) expect((await run.answerOne(call(callId), {}, { siblings })).text).toContain('siblings[0]');
  });
});

describe('turns that are never ended', () => {
  it('leave no timers, and an ended turn can begin again', async () => {
    const { run, system } = runBench([echo]);
    for (let count = 0; count < 1_000; count++) await run.answerOne(call(`${count}`), {});
    expect(system.pendingTimers).toBe(0);
    const turn = {};
    await run.answerOne(call('1'), turn);
    run.endTurn(turn);
    const dependent = run.answerOne(call('2', { dependsOn: ['3'] }), turn);
    await system.advance(10);
    const late = run.answerOne(call('3'), turn);
    expect((await Promise.all([dependent, late])).map(({ isError }) => isError)).toEqual([false, false]);
  });
});

describe('calls that wait for a slot', () => {
  it('are not run when the run was stopped meanwhile', async () => {
    let runs = 0;
    const bench: RunBench = runBench([takes(() => bench, 100), defineTool({ name: 'counts', run: () => (runs += 1) })], {
      turn: { concurrency: 1 },
      maxRefusals: 1,
    });
    const turn = {};
    const first = bench.run.answerOne(modelCall('takes', {}, { callId: '1' }), turn);
    const waiting = bench.run.answerOne(modelCall('counts', {}, { callId: '2' }), turn);
    const refused = bench.run.answerOne(modelCall('takes', {}, { callId: '3', truncated: true }), turn);
    const [, answer] = await bench.system.until(Promise.all([first, waiting, refused]));
    expect(bench.run.stopped).toBeDefined();
    expect(answer?.result.error?.code).toBe('RUN_STOPPED');
    expect(runs).toBe(0);
  });

  it('are not run when the same call has failed too often meanwhile', async () => {
    let runs = 0;
    const gone = defineTool({
      name: 'gone',
      run: async () => {
        runs += 1;
        await Promise.resolve();
        throw Object.assign(new Error('no such file'), { status: 404 });
      },
    });
    const { run } = runBench([gone], { turn: { concurrency: 1 } });
    const turn = {};
    await Promise.all(Array.from({ length: 20 }, (_, index) => run.answerOne(modelCall('gone', {}, { callId: `${index}` }), turn)));
    expect(runs).toBe(3);
  });
});

it('the answer to a call with invalid options still has its name', async () => {
  const { run } = runBench([echo]);
  const answer = await run.answerOne(call('mine'), {}, null as never);
  expect(answer).toMatchObject({ callId: 'mine', toolName: 'echo', isError: true });
});
