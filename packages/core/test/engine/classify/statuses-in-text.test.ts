import { expect, it } from 'vitest';
import { classify } from '../../../src/engine/classify/classify.ts';

it.each([
  ['Request failed with status code 400', 'permanent', 'invalid_input'],
  ['Request failed with status code 422', 'permanent', 'invalid_input'],
  ['HTTP error! status: 418', 'permanent', 'invalid_input'],
  ['HTTP 502', 'transient', 'unavailable'],
  // Replies of a mail server, where 4xx is temporary.
  ['450 mailbox busy', 'transient', 'unavailable'],
])('a status that occurs only in the message: %s', (message, classification, category) => {
  expect(classify(new Error(message), { nowEpochMs: 0 })).toMatchObject({ classification, category });
});
