/** With stdio, the gateway has no HTTP address. */
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { type ReadyInfo, serve } from '../../src/index.ts';
import { readWords } from '../fixtures/gateway.ts';

test('over stdio it does not listen', async () => {
  const input = new PassThrough();
  const given = { tools: [{ id: 'search', run: { command: { command: 'ls' } } }], store: false, gateway: { listen: { port: 0 } } };
  const infos: ReadyInfo[] = [];
  const listening = (): number => process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length;
  const before = listening();
  let during = -1;
  const ended = serve(readWords(given as never, 'holdfast.yaml'), {
    signal: new AbortController().signal,
    stdio: { input, output: new PassThrough() },
    log: 'off',
    onReady: (info) => {
      infos.push(info);
      during = listening();
      input.end();
    },
  });
  expect(await ended).toBe(0);
  expect(infos).toMatchObject([{ stdio: true, url: undefined }]);
  expect(during).toBe(before);
});
