import { expect, test } from 'vitest';
import { errorsPerRefusal } from '../src/checks/error-count.ts';

test('1,000 refusals create no error in Holdfast; the counter counts the 1,000 that opossum creates', async () => {
  const built = await errorsPerRefusal(['--conditions=@holdfast/source']);
  expect(built).toEqual({ holdfast: 0, opossum: 1_000 });
});
