import { expect, test } from 'vitest';
import { parseHeader } from '../../src/commands/parse-header.ts';

test('reads names, prefixes and variables', () => {
  const first = parseHeader('authorization: Bearer ${TOKEN}');
  expect(first).toEqual({ authorization: { env: 'TOKEN', prefix: 'Bearer ' } });
  expect(parseHeader('X-Key:$API_KEY', first)).toEqual({ ...first, 'X-Key': { env: 'API_KEY' } });
});

test.each(['authorization: secret', 'authorization', '${TOKEN}', 'a b: ${TOKEN}', ''])('refuses %j', (text) => {
  expect(() => parseHeader(text)).toThrow('Name the variable that has the value');
});
