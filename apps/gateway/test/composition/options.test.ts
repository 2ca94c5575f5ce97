/** What a gateway and a worker cannot read is refused before anything is started. */
import { describe, expect, test } from 'vitest';
import { createGateway, createWorker, logIn, serve, checkServers, work } from '../../src/index.ts';
import { readWords } from '../fixtures/gateway.ts';

const manifest = readWords({ tools: [{ id: 'search', run: { command: { command: 'ls' } } }], store: false } as never, 'holdfast.yaml');
const { signal } = new AbortController();

const common: readonly (readonly [object, string])[] = [
  [{ colour: 1 }, "has no setting 'colour'. Known:"],
  [{ frsh: true }, "has no setting 'frsh'. Did you mean 'fresh'?"],
  [{ fresh: 'yes' }, ".fresh must be true or false, got 'yes'."],
  [{ log: 'loud' }, ".log must be one of json, text, off, got 'loud'."],
  [{ store: {} }, '.store.append must be of type function, got undefined.'],
  [{ write: null }, '.write must be of type function, got null.'],
];

describe.each<readonly [string, (options: never) => Promise<unknown>, object, readonly (readonly [object, string])[]]>([
  [
    'createGateway',
    (options) => createGateway(manifest, options),
    {},
    [
      [{ dashboard: { folders: '.' } }, ".dashboard has no setting 'folders'. Did you mean 'folder'?"],
      [{ operatorToken: ['secret'] }, ".operatorToken must be a non-empty string, got 'object'."],
    ],
  ],
  ['createWorker', (options) => createWorker(manifest as never, options), {}, []],
  [
    'serve',
    (options) => serve(manifest, options),
    { signal },
    [
      [{ signal: undefined }, '.signal must be an AbortSignal'],
      [{ port: '80' }, ".port must be a port, got '80'."],
      [{ stdio: { inpt: 1 } }, ".stdio has no setting 'inpt'. Did you mean 'input'?"],
    ],
  ],
  [
    'work',
    (options) => work(manifest, options),
    { signal },
    [
      [{ signal: null }, '.signal must be an AbortSignal'],
      [{ regster: true }, "has no setting 'regster'. Did you mean 'register'?"],
    ],
  ],
])('%s', (name, give, valid, own) => {
  test.each([...common, ...own])('refuses %j', async (options, complaint) => {
    const refusal = await give({ ...valid, ...options } as never).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(Error);
    expect(String(refusal)).toContain(`${name}${complaint.startsWith('.') ? '' : ' '}${complaint}`);
  });

  test.each([null, [], 5])('refuses %j in place of options', async (options) => {
    await expect(give(options as never)).rejects.toThrow(`${name} must be an object`);
  });
});

test('a survey refuses what it cannot read', async () => {
  await expect(checkServers(manifest, { listTimeout: 5 } as never)).rejects.toThrow(
    "checkServers has no setting 'listTimeout'. Did you mean 'listTimeoutMs'?",
  );
});

test('a gateway listens at no address that it cannot read', async () => {
  const gateway = await createGateway(manifest, { log: 'off' });
  await expect(gateway.listen({ prt: 0 } as never)).rejects.toThrow("listen has no setting 'prt'. Did you mean 'port'?");
  await gateway.close();
});

test.each([
  [{ colour: 1 }, "logIn has no setting 'colour'. Known:"],
  [{ pincipal: 'alice' }, "Did you mean 'principal'?"],
  [{ onLink: 'print' }, 'logIn.onLink must be of type function'],
  [{ server: 5 }, 'logIn.server must be of type string'],
])('logIn refuses %j', async (options, complaint) => {
  await expect(logIn(manifest, { server: 'crm', onLink: () => undefined, signal, ...options } as never)).rejects.toThrow(complaint);
});
