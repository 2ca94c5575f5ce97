import { errorOfResult, failedResultWith, isContentPart, resultOfError } from '@holdfast/adapter-kit';
import { describe, expect, it } from 'vitest';

const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' };

describe('a result that says that its tool failed', () => {
  const failed = { content: [{ type: 'text', text: 'a' }, image, { type: 'text', text: 'b' }], _meta: { id: 1 }, vendor: 2, isError: true };

  it('is an error with its own words, from which the result is found again', () => {
    const error = errorOfResult(failed);
    expect(error).toMatchObject({ message: 'a\nb', code: 'MCP_TOOL_ERROR' });
    expect(resultOfError(error)).toBe(failed);
  });

  it('keeps all but its text', () => {
    expect(failedResultWith('Error', errorOfResult(failed))).toEqual({
      content: [{ type: 'text', text: 'Error' }, image],
      _meta: { id: 1 },
      vendor: 2,
      isError: true,
    });
  });

  it('may have no content that can be read', () => {
    for (const content of [undefined, 'text', [null, 7, {}, { type: 'text' }]])
      expect(errorOfResult({ content, isError: true })?.message).toBe('The tool failed without an error message');
    expect(failedResultWith('Error', errorOfResult({ content: [null, image], isError: true })).content).toEqual([
      { type: 'text', text: 'Error' },
      image,
    ]);
  });
});

it('any other value is no error', () => {
  for (const value of [undefined, null, 'text', { isError: false }, { isError: 'true' }]) expect(errorOfResult(value)).toBeUndefined();
  expect(resultOfError(new Error('of a tool'))).toBeUndefined();
  expect(failedResultWith('Error', undefined)).toEqual({ content: [{ type: 'text', text: 'Error' }], isError: true });
});

it('a part needs a type, and text where it is text', () => {
  expect([image, { type: 'text', text: '' }, { type: 'text' }, 'text', null].map(isContentPart)).toEqual([true, true, false, false, false]);
});
