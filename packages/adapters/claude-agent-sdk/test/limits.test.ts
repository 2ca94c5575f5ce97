/** What the page of the adapter says that it does not do. */
import { tool as sdkTool } from '@anthropic-ai/claude-agent-sdk';
import { reliableTools, tool } from '@holdfast/claude-agent-sdk';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { text } from './support/stage.ts';

const shape = { city: z.string() };

test('tool() makes what the function of the SDK makes', () => {
  const handler = async () => text('seen');
  const extras = { annotations: { readOnlyHint: true }, alwaysLoad: true };
  expect(tool('look', 'Looks.', shape, handler, extras)).toEqual(sdkTool('look', 'Looks.', shape, handler, extras));
});

test.each(['annotate', 'remove'] as const)('tools are offered unchanged while a circuit is open, with openCircuits: %s', (openCircuits) => {
  const look = tool('look', 'Looks.', shape, async () => text('seen'));
  const { service, startRun } = reliableTools([look], { run: { openCircuits } });
  service.controlCircuit('look', 'forced_open');
  expect(startRun().tools.map(({ name, description }) => [name, description])).toEqual([['look', 'Looks.']]);
});

test('dependsOn has no effect', async () => {
  let asked = 0;
  const look = tool('look', 'Looks.', shape, async () => text('seen'));
  const run = reliableTools([look], { dependsOn: () => ((asked += 1), ['another call']) }).startRun();
  expect(await run.tools[0]?.handler({ city: 'Oslo' }, {})).toEqual(text('seen'));
  expect(asked).toBe(0);
});

test('a tool that runs as an alternative receives its arguments and the signal, but nothing else of `extra`', async () => {
  const seen: unknown[] = [];
  const primary = tool('primary', 'P', shape, async () => {
    throw Object.assign(new Error('gone'), { status: 410 });
  });
  const backup = tool('backup', 'B', shape, async (args, extra) => {
    seen.push(args, Object.keys(extra as object));
    return text('backed up');
  });
  const run = reliableTools([primary, backup], { tools: { primary: { alternatives: ['backup'] } } }).startRun();
  const extra = { requestId: 'r-1', _meta: { 'claudecode/toolUseId': 'call_7' } };
  expect(await run.tools[0]?.handler({ city: 'Oslo' }, extra)).toEqual(text('backed up'));
  expect(seen).toEqual([{ city: 'Oslo' }, ['signal']]);
});
