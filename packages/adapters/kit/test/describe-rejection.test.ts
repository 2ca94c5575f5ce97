/** The words for what a framework or a parser has rejected by itself. */
import { describeRejection } from '@holdfast/adapter-kit';
import { expect, it } from 'vitest';

it('names each field by the issues of an error, or of its cause', () => {
  const issues = [{ path: ['seats'], message: 'must be even' }];
  for (const error of [{ issues }, { cause: { issues } }])
    expect(describeRejection({ seats: 3 }, error)).toBe("Parameter 'seats': must be even");
});

it('uses the words of an error without issues, and never throws', () => {
  expect(describeRejection({}, new Error('not today'))).toBe('The arguments do not match the schema: not today');
  for (const error of [
    undefined,
    null,
    5,
    { issues: 'none' },
    {
      get issues() {
        throw new Error('no');
      },
    },
  ])
    expect(describeRejection({}, error)).toBe('The arguments do not match the schema: validation failed');
});
