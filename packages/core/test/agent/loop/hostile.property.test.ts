import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ArgumentReader, SessionLogger, SessionOptions } from '../../../src/agent/index.ts';
import { AgentRun, runInference, Session } from '../../../src/agent/index.ts';
import { ToolExecutionService } from '../../../src/runtime/service/tool-execution-service.ts';
import { manualSystem } from '../../../src/testing/index.ts';
import { defineTool } from '../../../src/engine/tool/tool.ts';
import { expectComplete } from '../../support/complete-result.ts';
import { within } from '../../support/drive.ts';
import { hostileValidations, schemaOf } from '../../support/hostile-hooks.ts';
import { hostileSignals } from '../../support/hostile-signals.ts';
import { hostileTools } from '../../support/hostile-tools.ts';
import { hostileValues, thenables } from '../../support/hostile-values.ts';
import { watchProcess } from '../../support/watch-process.ts';

const boom = (): never => {
  throw Object.create(null);
};
const values = Object.entries({ ...hostileValues, ...thenables });
const returning = (make: (value: unknown) => unknown): Record<string, () => unknown> =>
  Object.fromEntries(values.map(([name, value]) => [`returns ${name}`, () => make(value())]));

/** Possible behaviors of a user's hook. */
const hooks: Readonly<Record<string, (...args: readonly never[]) => unknown>> = {
  throws: boom,
  rejects: () => Promise.reject(Object.create(null)),
  hangs: () => new Promise(() => undefined),
  ...returning((value) => value),
};

const readers: Readonly<Record<string, ArgumentReader>> = {
  reads: ({ raw }) => ({ ok: true, value: raw, repairs: [] }),
  refuses: () => ({ ok: false, message: 'no' }),
  ...(Object.fromEntries(Object.entries(returning((value) => ({ ok: value, value, repairs: value, message: value })))) as Record<
    string,
    ArgumentReader
  >),
  ...(hooks as unknown as Record<string, ArgumentReader>),
};

const nameOf = (table: object): fc.Arbitrary<string> => fc.constantFrom(...Object.keys(table));
const pick = <T>(table: Readonly<Record<string, T>>, name: string): T => table[name] as T;

const scenario = fc.record({
  tool: fc.constantFrom(...hostileTools.keys()),
  input: nameOf(hostileValidations),
  reader: nameOf(readers),
  reducer: nameOf(hooks),
  hook: nameOf(hooks),
  delay: nameOf(hooks),
  session: fc.constantFrom('real', 'broken', 'empty'),
  signal: nameOf(hostileSignals),
  calls: fc.array(
    fc.record({
      toolName: fc.constantFrom('tool', 'nonesuch'),
      args: nameOf(hostileValues),
      dependsOn: fc.constantFrom<string[]>([], ['0'], ['1'], ['x']),
    }),
    {
      minLength: 1,
      maxLength: 4,
    },
  ),
  odd: nameOf(hostileValues),
  oneByOne: fc.boolean(),
});

it(
  'answers every call with misbehaving readers, reducers, loggers, listeners, sessions, schemas, tools and signals',
  { timeout: 300_000 },
  async () => {
    const watch = watchProcess();
    await fc.assert(
      fc.asyncProperty(scenario, async (scene) => {
        const system = manualSystem();
        const hook = pick(hooks, scene.hook);
        const service = new ToolExecutionService({
          system,
          seed: 'hostile',
          policy: { maxOutputChars: 50_000, timeoutMs: 1_000 },
          tools: [
            defineTool({
              name: 'tool',
              input: schemaOf(pick(hostileValidations, scene.input) as never),
              run: hostileTools.get(scene.tool) as never,
            }),
          ],
        });
        const logger = { debug: hook, info: hook, warn: hook, error: hook } as unknown as SessionLogger;
        const options: SessionOptions = {
          system,
          logger,
          onReducerError: hook as never,
          slices: { own: { initial: 0, reduce: pick(hooks, scene.reducer) as never } },
        };
        const session =
          scene.session === 'real' ? new Session(options) : scene.session === 'broken' ? { append: boom } : { append: () => ({}) };
        const run = new AgentRun({
          service,
          session: session as Session,
          readArguments: pick(readers, scene.reader),
          validationRetries: {
            maxAttempts: 9,
            backoff: { delaySeconds: pick(hooks, scene.delay) as never },
            retryableErrors: ['ToolValidationError', 'Error'],
          },
          turn: { timeoutMs: 20_000 },
          onEvent: hook as never,
        });
        const { signal } = pick(hostileSignals, scene.signal)(system, 5);
        const calls = [
          ...scene.calls.map(({ toolName, args, dependsOn }, index) => ({
            callId: String(index),
            toolName,
            arguments: pick(hostileValues, args)(),
            dependsOn,
          })),
          pick(hostileValues, scene.odd)() as never,
        ];
        const turn = {};
        const limitMs = 90_000;
        const answers = scene.oneByOne
          ? await within(system, limitMs, Promise.all(calls.map((call) => run.answerOne(call, turn, { signal }))))
          : await within(system, limitMs, run.answer(calls, { signal }));
        expect(answers).toHaveLength(calls.length);
        for (const answer of answers) {
          expectComplete(answer.result);
          expect(typeof answer.text).toBe('string');
          expect(answer.text).not.toBe('');
          expect(answer.isError).toBe(answer.result.status !== 'success');
        }
      }),
      { numRuns: 400 },
    );
    expect(await watch.look()).toEqual([]);
    watch.stop();
  },
);

it('ends every inference for any answer of the model', { timeout: 120_000 }, async () => {
  const watch = watchProcess();
  for (const [name, make] of Object.entries({
    ...hooks,
    ...returning((value) => ({ text: value, calls: value })),
    ...returning((value) => ({ calls: [value, value], truncated: value })),
  })) {
    const system = manualSystem();
    const service = new ToolExecutionService({ system, tools: [defineTool({ name: 'tool', run: () => 1 })] });
    const inference = runInference({ service, messages: [], maxTurns: 3, timeoutMs: 5_000, model: make as never, output: {} });
    expect(typeof (await within(system, 10_000, inference)).outcome, name).toBe('string');
  }
  expect(await watch.look()).toEqual([]);
  watch.stop();
});
