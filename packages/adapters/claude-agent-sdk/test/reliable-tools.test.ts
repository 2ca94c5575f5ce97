import { createReliability, reliableTools } from '@holdfast/claude-agent-sdk';
import { tool } from '@anthropic-ai/claude-agent-sdk';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { text } from './support/stage.ts';

const shape = { city: z.string() };
const gone = (): never => {
  throw Object.assign(new Error('gone'), { status: 410 });
};

test('an alternative runs with the same arguments, if they fit it', async () => {
  const primary = tool('primary', 'P', shape, async () => gone());
  const backup = tool('backup', 'B', shape, async ({ city }) => text(`Backup for ${city}`));
  const other = tool('other', 'O', { town: z.string() }, async () => text('never'));
  const run = reliableTools([primary, backup, other], { tools: { primary: { alternatives: ['other', 'backup'] } } }).startRun();
  expect(await run.tools[0]?.handler({ city: 'Oslo' }, {})).toEqual(text('Backup for Oslo'));
});

test('mistakes are errors at construction', () => {
  const look = tool('look', 'L', shape, async () => text('seen'));
  expect(() => reliableTools({ look } as never)).toThrow('an array');
  expect(() => reliableTools([{ name: 'look' }] as never)).toThrow("'look' has no handler");
  expect(() => reliableTools([look, look])).toThrow('look');
  expect(() => reliableTools([look], { tools: { lok: {} } })).toThrow("Did you mean 'look'");
  expect(() => reliableTools([look]).startRun({ sesion: {} } as never)).toThrow('sesion');
});

test('tools made per request learn from each other, and run their own functions', async () => {
  const reliability = createReliability({
    policy: { retry: { maxAttempts: 1 }, breaker: { failureThreshold: 3, openMs: 30_000 }, waitForRecovery: false },
  });
  const runs: number[] = [];
  const told: string[] = [];
  for (let user = 0; user < 6; user++) {
    const look = tool('look', 'L', shape, async () => {
      runs.push(user);
      throw Object.assign(new Error(`down for ${user}`), { status: 503 });
    });
    const answered = await reliableTools([look], { reliability }).startRun().tools[0]?.handler({ city: 'Oslo' }, {});
    told.push(JSON.stringify(answered));
  }
  expect(runs).toEqual([0, 1, 2]);
  expect(told.slice(3)).toEqual(Array(3).fill(expect.stringContaining('CIRCUIT_OPEN')));
});
