/** Tools that are closures of one request share the circuits of the process. */
import { createReliability, reliableTools } from '@holdfast/ai-sdk';
import { startProviderDouble } from '@holdfast/provider-double';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { sdk6, sdk7 } from './support/sdks.ts';
import { done } from './support/stage.ts';

describe.each([sdk7, sdk6])('ai $version', (sdk) => {
  test('requests of different users learn from each other, and run their own functions', async () => {
    const double = await startProviderDouble({
      script: (_request, turn) => (turn % 2 === 0 ? { calls: [{ name: 'look', arguments: { city: 'Oslo' } }] } : done),
    });
    onTestFinished(() => double.close());
    const model = sdk.createOpenAI({ apiKey: 'key', baseURL: double.baseUrlFor('openai-chat', 'ai-sdk') }).chat('gpt-5.2');
    const reliability = createReliability({
      policy: { retry: { maxAttempts: 1 }, breaker: { failureThreshold: 3, openMs: 30_000 }, waitForRecovery: false },
    });
    const runs: number[] = [];
    const told: string[] = [];
    for (let user = 0; user < 6; user++) {
      const look = sdk.tool({
        inputSchema: z.object({ city: z.string() }),
        execute: (): string => {
          runs.push(user);
          throw Object.assign(new Error(`down for ${user}`), { status: 503 });
        },
      });
      const run = reliableTools({ look }, { reliability }).startRun();
      await sdk.generateText({ model, maxRetries: 0, prompt: 'Go on.', ...run.settings, ...run.loop({ stopWhen: sdk.stepCount(3) }) });
      told.push(double.requests.at(-1)?.neutral.messages.flatMap(({ results }) => results.map(({ text }) => text))[0] ?? '');
    }
    expect(runs).toEqual([0, 1, 2]);
    expect(told.slice(0, 3)).toEqual([0, 1, 2].map((user) => expect.stringContaining(`down for ${user}`)));
    expect(told.slice(3)).toEqual(Array(3).fill(expect.stringContaining('CIRCUIT_OPEN')));
  });

  test('descriptions stay as they are, unless the process or the request sets how open circuits are offered', () => {
    const look = sdk.tool({ inputSchema: z.object({}), execute: () => 'seen' });
    const hasDescription = (ofProcess: object, own: object): boolean => {
      const reliability = createReliability({ run: ofProcess });
      return 'description' in reliableTools({ look }, { reliability, run: own }).startRun().tools.look;
    };
    expect(hasDescription({}, {})).toBe(false);
    expect(hasDescription({ openCircuits: 'annotate' }, {})).toBe(true);
    expect(hasDescription({ openCircuits: 'annotate' }, { openCircuits: 'as_is' })).toBe(false);
    expect(hasDescription({}, { openCircuits: 'annotate' })).toBe(true);
  });
});
