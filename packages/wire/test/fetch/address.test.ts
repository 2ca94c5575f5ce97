/** Models that are only in the URL, and endless error responses. */
import { guardFetch } from '@holdfast/wire';
import { expect, it } from 'vitest';

const sentTo = async (address: string, body: object): Promise<unknown> => {
  let sent: unknown;
  const guarded = guardFetch((_input, init) => {
    sent = typeof init?.body === 'string' ? JSON.parse(init.body) : undefined;
    return Promise.resolve(new Response(null, { status: 200 }));
  });
  await guarded(`https://provider.example${address}`, { method: 'POST', body: JSON.stringify(body) });
  return sent;
};

it('reads the model of Gemini from the URL: a lost signature is replaced', async () => {
  const contents = [
    { role: 'user', parts: [{ text: 'u' }] },
    { role: 'model', parts: [{ functionCall: { name: 'a', args: {} } }] },
    { role: 'user', parts: [{ functionResponse: { name: 'a', response: {} } }] },
  ];
  const sent = await sentTo('/v1beta/models/gemini-3-pro:generateContent', { contents });
  expect(JSON.stringify(sent)).toContain('skip_thought_signature_validator');
  expect(sent).not.toHaveProperty('model');
  expect(await sentTo('/v1beta/models/gemini-2.5-flash:generateContent', { contents })).toEqual({ contents });
});

it('reads the model of Bedrock from the URL: a transcript that may begin with the assistant is unchanged', async () => {
  const body = {
    messages: [
      { role: 'assistant', content: [{ text: 'm' }] },
      { role: 'user', content: [{ text: 'u' }] },
    ],
  };
  expect(await sentTo('/model/us.anthropic.claude-sonnet-4-v1%3A0/converse', body)).toEqual(body);
  expect(await sentTo('/model/amazon.nova-pro-v1%3A0/converse', body)).not.toEqual(body);
});

it('does not wait for the end of an error response', async () => {
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      controller.enqueue(new Uint8Array(65_536).fill(120));
    },
  });
  const guarded = guardFetch(() => Promise.resolve(new Response(endless, { status: 400 })));
  const response = await guarded('https://provider.example/v1/chat/completions', {
    method: 'POST',
    body: JSON.stringify({ messages: [{ role: 'user', content: 'u' }] }),
  });
  expect(response.status).toBe(400);
  await response.body?.cancel();
});
