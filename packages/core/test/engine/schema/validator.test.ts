import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import type { InputOf, OutputOf, StandardSchema } from '../../../src/engine/schema/standard-schema.ts';
import { describeIssues } from '../../../src/engine/schema/validator.ts';
import { ToolExecutionService } from '../../../src/runtime/service/tool-execution-service.ts';
import { manualSystem } from '../../../src/testing/index.ts';
import { defineTool } from '../../../src/engine/tool/tool.ts';

const zod = z.object({ symbol: z.string(), side: z.enum(['buy', 'sell']).default('buy'), amount: z.string().transform(Number).optional() });
const valibot = v.object({
  symbol: v.string(),
  side: v.optional(v.picklist(['buy', 'sell']), 'buy'),
  amount: v.optional(v.pipe(v.string(), v.transform(Number))),
});
const arktype = type({ symbol: 'string', side: "'buy' | 'sell' = 'buy'", 'amount?': 'string.numeric.parse' });

const system = manualSystem();
const serviceOf = (input: StandardSchema): ToolExecutionService =>
  new ToolExecutionService({ system, tools: [defineTool({ name: 'trade', input, run: (args: unknown) => args })] });

describe.each([
  ['zod', serviceOf(zod)],
  ['valibot', serviceOf(valibot)],
  ['arktype', serviceOf(arktype)],
])('%s', (_name, service) => {
  // docs/specification.md#s3-errors
  it('names the missing parameter', async () => {
    const result = await service.executeTool({ toolName: 'trade', arguments: {} });
    expect(result).toMatchObject({
      status: 'error',
      attempts: 0,
      error: { code: 'INVALID_ARGUMENTS', classification: 'permanent', message: "Required parameter 'symbol' missing" },
    });
  });

  it('names the similar name that was sent', async () => {
    const result = await service.executeTool({ toolName: 'trade', arguments: { symbl: 'ACME' } });
    expect(result.error?.message).toContain("Required parameter 'symbol' missing (you sent 'symbl')");
  });

  it('names the path of a wrong value', async () => {
    const result = await service.executeTool({ toolName: 'trade', arguments: { symbol: 5 } });
    expect(result.error?.message).toMatch(/^Parameter 'symbol': /);
  });

  it('passes defaults and transforms to the tool', async () => {
    const result = await service.executeTool({ toolName: 'trade', arguments: { symbol: 'ACME', amount: '12' } });
    expect(result).toMatchObject({ status: 'success', output: { symbol: 'ACME', side: 'buy', amount: 12 } });
  });

  it.each([[undefined], [null], ['ACME'], [[]], [7]])('does not accept %j as arguments', async (args) => {
    const result = await service.executeTool({ toolName: 'trade', arguments: args });
    expect(result).toMatchObject({ attempts: 0, error: { code: 'INVALID_ARGUMENTS' } });
  });
});

it('suggests the intended enum value', async () => {
  const result = await serviceOf(zod).executeTool({ toolName: 'trade', arguments: { symbol: 'ACME', side: 'sel' } });
  expect(result.error?.message).toContain("(did you mean 'sell'?)");
});

describe('types', () => {
  it('are inferred from the schema', () => {
    expectTypeOf<InputOf<typeof zod>>().toEqualTypeOf<{ symbol: string; side?: 'buy' | 'sell' | undefined; amount?: string | undefined }>();
    expectTypeOf<OutputOf<typeof zod>>().toEqualTypeOf<{ symbol: string; side: 'buy' | 'sell'; amount?: number | undefined }>();
    expectTypeOf<OutputOf<typeof valibot>>().toEqualTypeOf<{ symbol: string; side: 'buy' | 'sell'; amount?: number | undefined }>();
    expectTypeOf<OutputOf<typeof arktype>>().toEqualTypeOf<{ symbol: string; side: 'buy' | 'sell'; amount?: number }>();
  });

  it('are those of the tool, the call and its result', async () => {
    const trade = defineTool({
      name: 'trade',
      input: zod,
      run: (args) => {
        expectTypeOf(args.side).toEqualTypeOf<'buy' | 'sell'>();
        return { bought: args.symbol };
      },
    });
    const quote = defineTool({ name: 'quote', output: z.object({ price: z.number() }), run: async () => ({ price: 7 }) });
    const service = new ToolExecutionService({ system, tools: [trade, quote] });
    const result = await service.executeTool({ toolName: 'trade', arguments: { symbol: 'ACME' } });
    if (result.status === 'success') expectTypeOf(result.output).toEqualTypeOf<{ bought: string }>();
    const priced = await service.executeTool({ toolName: 'quote' });
    if (priced.status === 'success') expectTypeOf(priced.output).toEqualTypeOf<{ price: number }>();
    // @ts-expect-error the compiler rejects a wrong argument
    const wrong: Parameters<typeof service.executeTool<{ toolName: 'trade'; arguments: { symbol: number } }>>[0] = {
      toolName: 'trade',
      arguments: { symbol: 5 },
    };
    expect(wrong.toolName).toBe('trade');
  });
});

describe('a JSON Schema, basic checks', () => {
  const input = {
    type: 'object',
    required: ['symbol', 'constructor'],
    additionalProperties: false,
    properties: {
      symbol: { type: 'string' },
      side: { enum: ['buy', 'sell'] },
      legs: { type: 'array', items: { type: 'integer' } },
      constructor: { type: 'string' },
    },
  };
  const service = new ToolExecutionService({ system, tools: [defineTool({ name: 'trade', input, run: (args: unknown) => args })] });
  const good = { symbol: 'ACME', constructor: 'x' };

  it.each<readonly [unknown, string]>([
    [{ constructor: 'x' }, "Required parameter 'symbol' missing"],
    [{ symbol: 'ACME' }, "Required parameter 'constructor' missing"],
    [{ ...good, symbl: 'A' }, "Parameter 'symbl': unknown name, did you mean 'symbol'?"],
    [{ ...good, side: 'bui' }, 'Parameter \'side\': must be one of "buy", "sell" (did you mean \'buy\'?)'],
    [{ ...good, legs: [1, 2.5] }, "Parameter 'legs.1': expected integer, got number"],
    ['ACME', 'expected object, got string'],
  ])('%j', async (args, message) => {
    const result = await service.executeTool({ toolName: 'trade', arguments: args });
    expect(result.error?.message).toContain(message);
  });

  it('accepts valid values', async () => {
    expect(await service.executeTool({ toolName: 'trade', arguments: { ...good, side: 'buy', legs: [] } })).toMatchObject({
      status: 'success',
    });
  });

  it('leaves everything to a compiler, also to one that throws', async () => {
    const strict = new ToolExecutionService({
      system,
      jsonSchema: () => () => [{ path: ['a'], message: 'strict' }],
      tools: [defineTool({ name: 'trade', input, run: () => 1 })],
    });
    expect(await strict.executeTool({ toolName: 'trade' })).toMatchObject({ error: { message: "Parameter 'a': strict" } });
    const broken = new ToolExecutionService({
      system,
      jsonSchema: () => {
        throw new Error('cannot compile');
      },
      tools: [defineTool({ name: 'trade', input, run: () => 1 })],
    });
    expect(await broken.executeTool({ toolName: 'trade' })).toMatchObject({ status: 'success' });
  });

  it('shortens a message about a hundred thousand issues', async () => {
    const result = await service.executeTool({
      toolName: 'trade',
      arguments: { ...good, legs: Array.from({ length: 100_000 }, () => 'x') },
    });
    expect(result.error?.message.length).toBeLessThan(2_000);
  });
});

describe('an output schema', () => {
  const output = z.object({ price: z.string().transform(Number) });

  it('transforms the output, and fails permanently for an invalid one', async () => {
    let calls = 0;
    const tool = (answer: unknown): ToolExecutionService =>
      new ToolExecutionService({ system, tools: [defineTool({ name: 'quote', output, run: async () => ((calls += 1), answer) })] });
    expect(await tool({ price: '7', more: 1 }).executeTool({ toolName: 'quote' })).toMatchObject({ output: { price: 7 } });
    const broken = await tool({ prise: '7' }).executeTool({ toolName: 'quote' });
    expect(broken).toMatchObject({
      status: 'error',
      attempts: 1,
      error: { code: 'INVALID_OUTPUT', classification: 'permanent', category: 'contract' },
    });
    expect(broken.error?.message).toContain("Required field 'price' missing (you sent 'prise')");
    expect(calls).toBe(2);
  });

  it('keeps secrets out of its messages', async () => {
    const secret = ['sk', '-proj-', 'abcdefghijklmnop0123456789'].join('');
    const service = new ToolExecutionService({
      system,
      tools: [defineTool({ name: 'quote', output: type({ price: "'low' | 'high'" }), run: () => ({ price: secret }) })],
    });
    const events: string[] = [];
    service.subscribe((event) => void events.push(JSON.stringify(event)));
    const result = await service.executeTool({ toolName: 'quote' });
    expect(result.error?.message).not.toContain(secret);
    expect(events.join()).not.toContain(secret);
  });

  it('of an unsafe tool that answered does not run its alternative', async () => {
    let again = 0;
    const service = new ToolExecutionService({
      system,
      tools: [
        defineTool({ name: 'book', effect: 'unsafe', alternatives: ['book_elsewhere'], output, run: () => 'booked' }),
        defineTool({ name: 'book_elsewhere', effect: 'unsafe', run: () => (again += 1) }),
      ],
    });
    expect(await service.executeTool({ toolName: 'book' })).toMatchObject({ status: 'error', error: { ambiguous: true } });
    expect(again).toBe(0);
  });
});

it('reports issues of the whole value unchanged', () => {
  expect(describeIssues([{ path: [], message: 'All wrong' }], {}, 'parameter')).toEqual(['All wrong']);
  expect(describeIssues([{ path: ['a', 0, 'b'], message: 'required', missing: true }], { a: [{}] }, 'field')).toEqual([
    "Required field 'a.0.b' missing",
  ]);
});
