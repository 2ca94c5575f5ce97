/** Problems of a Responses request: items that were sent in full count as sent, whatever the server holds under their id. */
import { afterEach, expect, it } from 'vitest';
import { startProviderDouble, type ProviderDouble } from '@holdfast/provider-double';

let double: ProviderDouble | undefined;
afterEach(() => double?.close());

interface Item {
  readonly type: string;
  readonly id: string;
  readonly call_id: string;
}

async function secondRequest(next: (call: Item) => object): Promise<unknown> {
  double = await startProviderDouble({ script: [{ calls: [{ name: 'pay', arguments: { sum: '5' } }] }, { text: 'Done.' }] });
  const { url, requests } = double;
  const send = async (input: readonly unknown[]): Promise<{ readonly output: readonly Item[] }> => {
    const response = await fetch(`${url}/v1/responses`, { method: 'POST', body: JSON.stringify({ model: 'm', input }) });
    return (await response.json()) as { readonly output: readonly Item[] };
  };
  const ask = { role: 'user', content: 'Pay.' };
  const { output } = await send([ask]);
  const call = output.find(({ type }) => type === 'function_call') as Item;
  await send([ask, next(call), { type: 'function_call_output', call_id: call.call_id, output: 'Paid.' }]);
  return requests[1]?.neutral.messages.flatMap(({ calls }) => calls.map((one) => one.arguments));
}

it('an item that was sent in full is recorded as sent', async () => {
  expect(JSON.stringify(await secondRequest((call) => ({ ...call, arguments: '{"sum":6}' })))).toContain('6');
});

it('a reference is recorded as the item it refers to', async () => {
  expect(JSON.stringify(await secondRequest(({ id }) => ({ type: 'item_reference', id })))).toContain('5');
});

async function sentBack(reasoning: string): Promise<readonly string[]> {
  double = await startProviderDouble({ script: [{ text: 'Hi', reasoning }, { text: 'Done.' }] });
  const { url, requests } = double;
  const send = async (input: readonly unknown[]): Promise<{ readonly output: readonly Item[] }> => {
    const response = await fetch(`${url}/v1/responses`, { method: 'POST', body: JSON.stringify({ model: 'gpt-5.2', input }) });
    return (await response.json()) as { readonly output: readonly Item[] };
  };
  const user = { role: 'user', content: 'go' };
  const { output } = await send([user]);
  await send([user, ...output.filter(({ type }) => type === 'message'), user]);
  return requests[1]?.refused?.problems.map(({ rule }) => rule) ?? [];
}

it('a message goes back with the reasoning that it was made with', async () => {
  expect(await sentBack('A greeting.')).toEqual(['reasoning-pair']);
});

it('a message that was made without reasoning goes back alone', async () => {
  expect(await sentBack('')).toEqual([]);
});
