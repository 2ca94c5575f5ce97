/** Messages of clients, as text. */
import { describe, expect, test } from 'vitest';
import { parseMessage } from '../../src/server/parse-message.ts';

const call = (args: string): string => `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"delete_file","arguments":${args}}}`;
const twice = { kind: 'fault', error: { code: -32_600, message: 'Invalid request: an object has a name twice' } };

describe('a name twice in one object', () => {
  test.each(['{"path":"/tmp/a","path":"/"}', '{"a":[{"b":1,"b":2}]}', '{"a":1,"\\u0061":2}'])('of a call is refused: %s', (args) => {
    expect(parseMessage(call(args), 100)).toEqual({ ...twice, id: 7 });
  });
  test('beside the arguments, and in a batch, too', () => {
    expect(parseMessage('{"jsonrpc":"2.0","id":"a","method":"a","method":"b"}', 100)).toEqual({ ...twice, id: 'a' });
    expect(parseMessage(`[${call('{"a":1,"a":2}')}]`, 100)).toEqual({ ...twice, id: null });
  });
  test.each(['{}', '{"a":{"path":1},"path":2}', '[{"a":1},{"a":2}]', '{"text":"a\\":\\"b: {\\"c\\":1}"}', '{"a":"x\\\\","b":":"}'])(
    'is not seen where there is none: %s',
    (args) => {
      expect(parseMessage(call(args), 100)).toMatchObject({ kind: 'request', params: { arguments: JSON.parse(args) as unknown } });
    },
  );
  test('in a notification or a response concerns nothing that is run', () => {
    expect(parseMessage('{"jsonrpc":"2.0","method":"a","params":{"b":1,"b":2}}', 100)).toMatchObject({ kind: 'notification' });
    expect(parseMessage('{"jsonrpc":"2.0","id":1,"result":{"b":1,"b":2}}', 100)).toMatchObject({ kind: 'response' });
  });
});
