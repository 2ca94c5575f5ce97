/** The conversation with which the cost of adapters is measured. */
import { scriptedCalls, scriptedSize, scriptedTool } from '@holdfast/adapter-kit/testing';
import { expect, it } from 'vitest';

it('has calls with ids of their own, and ends after the last result', async () => {
  const ids: string[] = [];
  for (let calls = scriptedCalls(0); calls.length > 0; calls = scriptedCalls(ids.length)) ids.push(...calls.map(({ id }) => id));
  expect(new Set(ids).size).toBe(scriptedSize.answers * scriptedSize.calls);
  expect(await scriptedTool.run('Oslo')).toBe('21 degrees in Oslo');
});
