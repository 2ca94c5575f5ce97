import { describe, expect, it } from 'vitest';
import { defineTool } from '../../../src/engine/tool/tool.ts';
import { modelCall, runBench } from './support.ts';

const echo = defineTool({ name: 'echo', run: (args: unknown) => args });

/** A tool that answers after a delay, and the times at which it began. */
function slow(system: () => { setTimer(delay: number, fire: () => void): unknown; now(): number }, delayMs: number) {
  const starts: number[] = [];
  const tool = defineTool({
    name: 'slow',
    run: () => {
      starts.push(system().now());
      return new Promise((resolve) => void system().setTimer(delayMs, () => resolve('slow')));
    },
  });
  return { tool, starts };
}

describe('calls that come one by one', () => {
  it('may pass arguments that the framework has read; the reader is not called then', async () => {
    const readRequests: unknown[] = [];
    const { run } = runBench([echo], {
      readArguments: ({ raw }) => {
        readRequests.push(raw);
        return { ok: true, value: { read: true }, repairs: [] };
      },
    });
    const read = { ok: true, value: { city: 'Oslo' }, repairs: ['quotes'] } as const;
    const answer = await run.answerOne(modelCall('echo', "{'city':'Oslo'}", { callId: '1' }), {}, { read });
    expect(answer).toMatchObject({ result: { output: { city: 'Oslo' } }, arguments: { city: 'Oslo' }, repairs: ['quotes'] });
    const unread = await run.answerOne(modelCall('echo', '{', { callId: '2' }), {}, { read: { ok: false, message: 'No object' } });
    expect(unread.result).toMatchObject({ status: 'error', error: { code: 'INVALID_ARGUMENTS', message: 'No object' } });
    expect(readRequests).toEqual([]);
  });

  it('start at once and share one deadline', async () => {
    const { tool, starts } = slow(() => bench.system, 400);
    const bench = runBench([tool], { turn: { timeoutMs: 1_000 } });
    const { run, system } = bench;
    const turn = {};
    const answers = [0, 300, 700].map(async (at, index) => {
      await new Promise<void>((resolve) => void system.setTimer(at, resolve));
      return run.answerOne(modelCall('slow', {}, { callId: `${index}` }), turn);
    });
    const [first, second, third] = await system.until(Promise.all(answers));
    expect(starts).toEqual([0, 300, 700]);
    expect([first, second].map((answer) => answer?.result.status)).toEqual(['success', 'success']);
    expect(third?.result).toMatchObject({ status: 'timeout', error: { code: 'TURN_DEADLINE' } });
    expect(system.now()).toBe(1_000);

    const late = await run.answerOne(modelCall('slow'), turn);
    expect(late.result.error?.code).toBe('TURN_DEADLINE');
    expect(starts).toHaveLength(3);
    const next = await system.until(run.answerOne(modelCall('slow'), {}));
    expect(next.result.status).toBe('success');
  });

  it('wait for a dependency even if it comes later', async () => {
    const { tool } = slow(() => bench.system, 400);
    const bench = runBench([tool, echo]);
    const { run, system } = bench;
    const turn = {};
    const dependent = run.answerOne(modelCall('echo', 1, { dependsOn: ['slow'] }), turn);
    await system.advance(200);
    const dependency = run.answerOne(modelCall('slow'), turn);
    expect((await system.until(Promise.all([dependent, dependency]))).map(({ isError }) => isError)).toEqual([false, false]);
    expect(system.now()).toBe(600);
    expect((await run.answerOne(modelCall('echo', 2, { callId: 'later', dependsOn: ['slow'] }), turn)).text).toBe('2');
    expect(system.pendingTimers).toBe(0);
  });

  it('are not run when a dependency failed, with the chain of causes', async () => {
    const { run } = runBench([echo]);
    const turn = {};
    const answers = await Promise.all([
      run.answerOne(modelCall('echo', 1, { callId: 'c', dependsOn: ['b'] }), turn),
      run.answerOne(modelCall('echo', 1, { callId: 'b', dependsOn: ['a'] }), turn),
      run.answerOne(modelCall('nonesuch', 1, { callId: 'a' }), turn),
    ]);
    expect(answers[0]?.result).toMatchObject({ skipped: true, error: { code: 'DEPENDENCY_FAILED', causedBy: ['b', 'a'] } });
  });

  it('do not wait forever for a missing call, in a circular dependency, for a call that was not announced, or after an abort', async () => {
    const { run, system } = runBench([echo], { turn: { timeoutMs: 60_000 } });
    const alone = await system.until(run.answerOne(modelCall('echo', 1, { dependsOn: ['missing'] }), {}));
    expect(alone.text).toContain('were not made');
    expect(system.now()).toBe(1_000);

    const circle = {};
    const both = await system.until(
      Promise.all([
        run.answerOne(modelCall('echo', 1, { callId: 'a', dependsOn: ['b'] }), circle),
        run.answerOne(modelCall('echo', 1, { callId: 'b', dependsOn: ['a'] }), circle),
      ]),
    );
    expect(both.map(({ isError }) => isError)).toEqual([true, true]);
    expect(system.now()).toBe(2_000);

    const call = modelCall('echo', 1, { dependsOn: ['missing'] });
    expect((await run.answerOne(call, {}, { siblings: [call, modelCall('echo', 2)] })).text).toContain('not among the calls');

    const controller = new AbortController();
    const aborted = run.answerOne(call, {}, { signal: controller.signal });
    await system.advance(10);
    controller.abort();
    expect((await aborted).result.error?.code).toBe('CANCELLED');

    const ended = {};
    const waiting = run.answerOne(call, ended);
    await system.settle();
    run.endTurn(ended);
    expect((await waiting).text).toContain('were not made');
    expect(system.now()).toBe(2_010);
    expect(system.pendingTimers).toBe(0);
  });

  it('wait for a slot when the concurrency of the turn is limited', async () => {
    const { tool, starts } = slow(() => bench.system, 100);
    const bench = runBench([tool], { turn: { concurrency: 2 } });
    const turn = {};
    await bench.system.until(
      Promise.all(['1', '2', '3', '4', '5'].map((callId) => bench.run.answerOne(modelCall('slow', {}, { callId }), turn))),
    );
    expect(starts).toEqual([0, 0, 100, 100, 200]);
  });

  it('have the same answers and texts as all at once', async () => {
    const quote = defineTool({ name: 'quote', input: { type: 'object', required: ['symbol'] }, run: () => 'quoted' });
    const calls = [
      modelCall('echo', { a: 1 }, { callId: '1' }),
      modelCall('quote', {}, { callId: '2' }),
      modelCall('nonesuch', {}, { callId: '3' }),
      modelCall('echo', 1, { callId: '4', dependsOn: ['3'] }),
      modelCall('quote', '{', { callId: '5' }),
      modelCall('echo', {}, { callId: '6', truncated: true }),
    ];
    const atOnce = runBench([echo, quote]);
    const oneByOne = runBench([echo, quote]);
    const turn = {};
    const answers = await oneByOne.system.until(Promise.all(calls.map((call) => oneByOne.run.answerOne(call, turn))));
    expect(answers.map(({ text }) => text)).toEqual(await atOnce.texts(...calls));
    expect(oneByOne.session.feedback).toEqual(atOnce.session.feedback);
  });

  it('record each call as a separate, well-formed turn', async () => {
    const { run, events } = runBench([echo]);
    const turn = {};
    await Promise.all(['1', '2'].map((callId) => run.answerOne(modelCall('echo', 1, { callId }), turn)));
    for (const id of new Set(events.map(({ turn_id }) => turn_id))) {
      const ofTurn = events.filter(({ turn_id }) => turn_id === id);
      expect(ofTurn.map(({ seq }) => seq)).toEqual(ofTurn.map((_, index) => index + 1));
      expect(ofTurn.filter(({ event_type }) => event_type === 'TurnStarted')).toHaveLength(1);
      expect(ofTurn.filter(({ event_type }) => event_type === 'TurnCompleted')).toHaveLength(1);
    }
  });
});
