import { ToolCallError } from '@holdfast/adapter-kit';
import { expect, it } from 'vitest';

const cause = new Error('Request failed with status code 503');
const result = { toolName: 'look', callId: 'c1', status: 'error', error: { code: 'UNAVAILABLE', cause } };
const answer = { callId: 'c1', toolName: 'look', text: 'Error UNAVAILABLE: down', isError: true, arguments: {}, repairs: [], result };

it('has the text for the model, and the code, the result and the tool’s own error for the program', () => {
  const error = new ToolCallError(answer as never);
  expect([error.name, error.message, error.code, error.result, error.cause]).toEqual([
    'ToolCallError',
    answer.text,
    'UNAVAILABLE',
    result,
    cause,
  ]);
});

it('is stored and traced without outputs and the tool’s own error', () => {
  const error = new ToolCallError(answer as never);
  expect(JSON.parse(JSON.stringify(error))).toEqual({ name: 'ToolCallError', message: answer.text, code: 'UNAVAILABLE' });
  expect(Object.keys(error)).toEqual([]);
});
