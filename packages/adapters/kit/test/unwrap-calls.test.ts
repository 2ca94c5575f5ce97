import { expect, it } from 'vitest';
import { Reliable } from '../src/index.ts';

const reliable = (): Reliable =>
  new Reliable([
    { name: 'double', run: ({ of }: { of: number }) => of * 2 },
    { name: 'fail', policy: { retry: { maxAttempts: 1 } }, run: () => Promise.reject(new Error('no')) },
  ]);
const wrapper = (...uses: readonly { recipient_name: string; parameters: unknown }[]) => ({
  toolName: 'multi_tool_use.parallel',
  callId: 'c1',
  arguments: JSON.stringify({ tool_uses: uses }),
});

it('runs the calls within a wrapper, and answers it as one call', async () => {
  const tools = reliable();
  const calls = [
    { toolName: 'double', callId: 'c0', arguments: { of: 1 } },
    wrapper({ recipient_name: 'functions.double', parameters: { of: 2 } }, { recipient_name: 'functions.fail', parameters: {} }),
    { toolName: 'double', callId: 'c2', arguments: '{"of":4}' },
  ];
  const answers = await tools.answer(tools.startRun(), calls);
  expect(answers.map(({ callId, isError }) => [callId, isError])).toEqual([
    ['c0', false],
    ['c1', false],
    ['c2', false],
  ]);
  expect(answers.map(({ text }) => text.split('\n')[0])).toEqual(['2', 'double: 4', '8']);
  expect(answers[1]).toMatchObject({ toolName: 'multi_tool_use.parallel', result: { callId: 'c1' } });
  expect(answers[1]?.text).toContain('\n\nfail: Error');
});

it('a wrapper fails if all of its calls fail', async () => {
  const tools = reliable();
  const [answer] = await tools.answer(tools.startRun(), [wrapper({ recipient_name: 'fail', parameters: {} })]);
  expect(answer).toMatchObject({ callId: 'c1', isError: true, result: { status: 'error' } });
});

it('a wrapper without readable calls is a call of an unknown tool', async () => {
  const tools = reliable();
  const [answer] = await tools.answer(tools.startRun(), [{ toolName: 'multi_tool_use.parallel', callId: 'c1', arguments: '{' }]);
  expect(answer).toMatchObject({ callId: 'c1', isError: true, result: { error: { code: 'UNKNOWN_TOOL' } } });
});
