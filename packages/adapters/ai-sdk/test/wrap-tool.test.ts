/** What a wrapped tool keeps of the given one: the members of its class, and its outputs. */
import { reliableTools } from '@holdfast/ai-sdk';
import type { ToolSet } from 'ai';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { sdk6, sdk7 } from './support/sdks.ts';
import { done, stage } from './support/stage.ts';

const inputSchema = z.object({ city: z.string() });
const call = (name: string) => ({ name, arguments: { city: 'Oslo' } });

describe.each([sdk7, sdk6])('ai $version', (sdk) => {
  test('a tool of a class runs as it is, with its private fields', async () => {
    class Look {
      readonly #sky = 'grey';
      readonly inputSchema = inputSchema;
      execute(): string {
        return `seen, ${this.#sky}`;
      }
      get description(): string {
        return `Looks at a ${this.#sky} sky.`;
      }
      toModelOutput({ output }: { readonly output: unknown }): unknown {
        return { type: 'text', value: `${String(output)}, told by ${this.#sky}` };
      }
    }
    const { run, request, resultsIn, double } = await stage(sdk, { look: new Look() } as unknown as ToolSet, [
      { calls: [call('look')] },
      done,
    ]);
    await sdk.generateText({ ...request, ...run.settings });
    expect(resultsIn()).toEqual(['seen, grey, told by grey']);
    expect(JSON.stringify(double.requests[0]?.body)).toContain('Looks at a grey sky.');
  });

  test('a wrapped tool has the keys of the given one, and `toModelOutput` only for an output that it has to replace', async () => {
    const look = sdk.tool({ inputSchema, title: 'Look', execute: (): unknown => 'seen' }) as ToolSet[string];
    const count = sdk.tool({ execute: () => ({ seen: 1n }), inputSchema, description: 'Counts' }) as ToolSet[string];
    const { run, request, resultsIn } = await stage(sdk, { look, count }, [{ calls: [call('look'), call('count')] }, done]);
    const keys = (): unknown => Object.values(run.tools).map((tool) => Reflect.ownKeys(tool));
    expect(keys()).toEqual([Reflect.ownKeys(look), Reflect.ownKeys(count)]);
    await sdk.generateText({ ...request, ...run.settings });
    expect(resultsIn()).toEqual(['seen', expect.stringContaining('"seen":"1"')]);
    expect(keys()).toEqual([Reflect.ownKeys(look), [...Reflect.ownKeys(count), 'toModelOutput']]);
    const annotated = reliableTools({ look }, { run: { openCircuits: 'annotate' } }).startRun().tools.look as object;
    expect(Reflect.ownKeys(annotated)).toEqual([...Reflect.ownKeys(look), 'description']);
  });

  test('functions and symbols in an output are left out, as without Holdfast, and the output stays the own one', async () => {
    const output = { a: 1, run: () => 1, parts: [Symbol('s')] };
    const look = sdk.tool({ inputSchema, execute: () => output });
    const { run, request, resultsIn } = await stage(sdk, { look }, [{ calls: [call('look')] }, done]);
    const { steps } = await sdk.generateText({ ...request, ...run.settings });
    expect(steps[0]?.toolResults[0]?.output).toBe(output);
    expect(resultsIn()).toEqual(['{"a":1,"parts":[null]}']);
  });
});
