import { expect, test } from 'vitest';
import { buildTools, loadManifest, mergePolicies, parseManifest, serviceOptions } from '../src/index.ts';

const result = parseManifest("tools: [{ id: weather, run: { http: { url: 'http://weather.test' } } }]", { env: {} });

test.each([
  ['buildTools', buildTools],
  ['serviceOptions', serviceOptions],
] as const)('%s refuses a value that is no manifest and says where the manifest is', async (name, use) => {
  const pending = loadManifest('none.yaml');
  const given = (value: unknown) => () => use(value as never);
  expect(given(result)).toThrow(`${name}: manifest must be the field 'manifest' of this result, got an object.`);
  expect(given(pending)).toThrow(`${name}: manifest must be the field 'manifest' of an awaited loadManifest(), got a promise.`);
  expect(given('holdfast.yaml')).toThrow("got 'holdfast.yaml'.");
  expect(given(undefined)).toThrow('got undefined.');
  expect(given(result.manifest)).not.toThrow();
  await pending;
});

test('mergePolicies refuses a layer that is no object', () => {
  expect(() => mergePolicies({ timeoutMs: 5 }, [{ timeoutMs: 6 }] as never)).toThrow(
    'mergePolicies: layer 2 must be a policy object, got an array.',
  );
});
