import { describe, expect, it } from 'vitest';
import type { Middleware, Runner } from '../../../src/engine/tool/runner.ts';
import { compose } from '../../../src/engine/tool/runner.ts';
import { defineTool } from '../../../src/engine/tool/tool.ts';
import { ToolExecutionService } from '../../../src/runtime/service/tool-execution-service.ts';

describe('defineTool', () => {
  it.each<readonly [object, string]>([
    [{ name: '', run: () => 1 }, "Tool.name must be a non-empty string: the name by which the model calls the tool, got ''."],
    [{ name: 7, run: () => 1 }, 'Tool.name must be a non-empty string: the name by which the model calls the tool, got 7.'],
    [{ name: 't' }, "Tool 't'.run must be a function (args, context) => output, or a runner, got undefined."],
    [
      { name: 't', run: () => 1, input: 'string' },
      "Tool 't'.input must be a Standard Schema (zod, valibot, arktype …) or a JSON Schema object, got 'string'.",
    ],
    [
      { name: 't', run: () => 1, output: null },
      "Tool 't'.output must be a Standard Schema (zod, valibot, arktype …) or a JSON Schema object, got null.",
    ],
    [{ name: '  ', run: () => 1 }, "Tool.name must be a non-empty string: the name by which the model calls the tool, got '  '."],
    [{ name: 't', run: () => 1, timoutMs: 5 }, "Tool 't' has no setting 'timoutMs'. Did you mean 'timeoutMs'?"],
  ])('refuses %j', (definition, message) => {
    expect(() => defineTool(definition as never)).toThrow(message);
  });

  it('refuses invalid rules when the tool is defined, not when it fails', () => {
    expect(() => defineTool({ name: 't', run: () => 1, classification: [{ match: { cod: 'E' }, as: 'permanent' } as never] })).toThrow(
      "Tool 't'.classification[0] has no setting 'match'. Known: status, code, name, message, category, as.",
    );
  });

  it.each([{ type: 'object' }, Object.assign(() => undefined, { '~standard': {} })])(
    'accepts a schema that is an object or a function',
    (input) => {
      expect(defineTool({ name: 't', run: () => 1, input: input as never }).input).toBe(input);
    },
  );

  it.each<readonly [string, object, string]>([
    ['a function as schema', { input: () => true }, "Tool 't'.input must be a Standard Schema"],
    ['properties without the object around them', { input: { city: 'string' } }, "Write { type: 'object', properties: { city: … } }."],
    ['the same for its output', { output: { city: { type: 'string' } } }, "Tool 't'.output has no JSON Schema keyword."],
    [
      'a misspelt type of a schema',
      { input: { type: 'objct' } },
      "Tool 't'.input.type must be one of object, string, number, integer, boolean, array, null (did you mean 'object'?), got 'objct'.",
    ],
    [
      'a name in place of a list',
      { input: { type: 'object', required: 'city' } },
      "Tool 't'.input.required must be an array of names, got 'city'.",
    ],
    ['a function as fallback', { fallback: { value: () => 1 } }, "Tool 't'.fallback.value must be the output itself, got a function."],
    [
      'a promise as fallback',
      { fallback: { value: Promise.resolve(1) } },
      "Tool 't'.fallback.value must be the output itself, got a promise.",
    ],
    [
      'a misspelt error to correct',
      { validationRetries: { retryableErrors: ['ToolValidationEror'] } },
      "Tool 't'.validationRetries.retryableErrors names 'ToolValidationEror'. Did you mean 'ToolValidationError'?",
    ],
  ])('refuses %s', (_what, more, message) => {
    expect(() => defineTool({ name: 't', run: () => 1, ...more })).toThrow(message);
  });

  it.each([
    {},
    { $ref: '#/x' },
    { type: ['object', 'null'], required: null },
    { 'x-order': 1 },
    { anyOf: [] },
    { additionalProperties: false },
    { minimum: 1 },
    { city: 1, type: 'object' },
  ])('takes the JSON Schema %j', (input) => {
    expect(defineTool({ name: 't', run: () => 1, input }).input).toBe(input);
  });

  it('takes names of own errors to correct', () => {
    const retryableErrors = ['ValidationError', 'OutputError', class CityUnknown extends Error {}];
    expect(defineTool({ name: 't', run: () => 1, validationRetries: { retryableErrors } }).validationRetries).toEqual({ retryableErrors });
  });

  it('is frozen, enabled, and does not share its policy', () => {
    const tool = defineTool({ name: 't', run: () => 1, timeoutMs: 5 });
    expect(Object.isFrozen(tool)).toBe(true);
    expect(tool).toMatchObject({ name: 't', enabled: true, policy: { timeoutMs: 5 } });
  });
});

describe('compose', () => {
  const mark =
    (name: string, log: string[]): Middleware =>
    (next) =>
    (args, context) => {
      log.push(name);
      return next(args, context);
    };

  it('the first is the outermost, and kind and close are kept', () => {
    const log: string[] = [];
    const run: Runner<unknown> = Object.assign(() => log.push('run'), { kind: 'http' as const, close: () => undefined });
    const wrapped = compose(mark('a', log), mark('b', log))(run);
    void wrapped({}, {} as never);
    expect(log).toEqual(['a', 'b', 'run']);
    expect(wrapped.kind).toBe('http');
    expect(wrapped.close).toBe(run.close);
  });

  it('a plain function still runs in the process', () => {
    expect(compose(mark('a', []))(() => 1).kind).toBe('in_process');
  });

  it.each([undefined, Promise.resolve(() => 1), 'run'])('refuses a middleware that returns %s', (returned) => {
    expect(() => compose(mark('a', []), () => returned as never)(() => 1)).toThrow('middleware[1]() must be of type function');
    const tools = [defineTool({ name: 't', run: () => 1 })];
    expect(() => new ToolExecutionService({ tools, middleware: [() => returned as never] })).toThrow('middleware[0]() must be');
  });

  it('of nothing is the runner itself', () => {
    const run: Runner<unknown> = () => 1;
    expect(compose()(run)).toBe(run);
  });
});
