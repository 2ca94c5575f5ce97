/** `--engine`: where the gateway runs turns. */
import { parseManifest } from '@holdfast/manifest';
import { expect, test } from 'vitest';
import { withEngine } from '../../src/serve/engine.ts';

test('--engine in-process ignores the engine of the manifest; --engine restate needs none', () => {
  const tools = "version: 1\ntools: [{ id: a, effect: read, run: { http: { url: 'http://127.0.0.1:9' } } }]\n";
  const [plain, own] = [tools, `${tools}engine: { restate: { ingress: 'http://engine:8080' } }\n`].map(
    (text) => parseManifest(text).manifest,
  );
  if (!plain || !own) throw new Error('A manifest is invalid');
  expect(withEngine(own, 'in-process')).not.toHaveProperty('engine');
  expect(withEngine(own, 'restate')).toEqual(own);
  expect(withEngine(own, undefined)).toBe(own);
  expect(withEngine(plain, 'restate').engine?.restate).toMatchObject({ ingress: 'http://127.0.0.1:8080', admin: 'http://127.0.0.1:9070' });
  expect(withEngine(plain, undefined).engine).toBeUndefined();
});
