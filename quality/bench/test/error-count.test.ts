import { expect, test } from 'vitest';
import { errorsPerRefusal } from '../src/checks/error-count.ts';

test('1,000 refusals build no error in Holdfast; the counter sees the 1,000 that opossum builds', async () => {
  const built = await errorsPerRefusal(['--conditions=@holdfast/source']);
  expect(built).toEqual({ holdfast: 0, opossum: 1_000 });
});
