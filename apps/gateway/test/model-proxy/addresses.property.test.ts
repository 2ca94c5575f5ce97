/** The request stays below the base URL for any path, and contains no credential for any query. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { baseUrls, isTarget, targetOf } from '../../src/model-proxy/target.ts';

const base = 'https://api.example.com/deep/v1';
const entry = { baseUrl: base, headers: {}, repair: true, validate: true };
const bases = baseUrls({ models: { openai: entry, anthropic: entry, gemini: { ...entry, baseUrl: 'https://other.example/?tenant=7' } } });

const nasty = fc.constantFrom(
  '..',
  '.',
  '%2e',
  '%2E%2e',
  '%252e',
  '/',
  '%2f',
  '%252F',
  '\\',
  '%5c',
  '//',
  ';',
  '@',
  ':',
  '?',
  '#',
  '%00',
  '%0d%0a',
  '\u0000',
  ' ',
  'a',
  'v1',
  'http://evil.example',
  '%',
  'ü',
  '\uD800',
);
const path = fc.array(fc.oneof(nasty, fc.string({ maxLength: 5 })), { maxLength: 12 }).map((parts) => parts.join(''));

/** Decodes like a server that decodes repeatedly. */
function decodedSegments(pathname: string): readonly string[] {
  let plain = pathname;
  for (let pass = 0; pass < 4; pass++)
    plain = plain.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return plain.split(/[/\\]/);
}

test('no path escapes the base URL', () => {
  fc.assert(
    fc.property(fc.constantFrom('openai/v1', 'anthropic', 'gemini', 'openai'), path, (root, rest) => {
      const target = targetOf(`/${root}/${rest}`, '', bases);
      if (!isTarget(target)) return;
      const { origin, pathname, username } = new URL(target.url);
      expect(origin).toBe(target.provider === 'gemini' ? 'https://other.example' : 'https://api.example.com');
      expect(username).toBe('');
      expect(pathname.startsWith(target.provider === 'gemini' ? '/' : '/deep/v1/')).toBe(true);
      expect(decodedSegments(pathname)).not.toContain('..');
    }),
    { numRuns: 3_000 },
  );
});

test('no query contains a key, and other parameters are unchanged', () => {
  const name = fc.constantFrom(
    'key',
    'KEY',
    '%6bey',
    'k%65y',
    'api_key',
    'access_token',
    'Api-Key',
    '+key',
    'alt',
    'pageToken',
    'limit',
    'key2',
    'keys',
  );
  const part = fc.tuple(name, fc.constantFrom('', 'x', 'a%26b', 'ü', '%')).map(([left, right]) => `${left}=${right}`);
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
      const target = targetOf('/openai/v1/models', parts.length === 0 ? '' : `?${parts.join('&')}`, bases);
      if (!isTarget(target)) throw new Error('a plain path has a target');
      const given = new URL(target.url).searchParams;
      for (const secret of ['key', 'api_key', 'access_token', 'api-key'])
        expect([...given.keys()].map((each) => each.trim().toLowerCase())).not.toContain(secret);
      const harmless = parts.filter((each) => /^(?:alt|pageToken|limit|key2|keys)=/.test(each));
      expect([...given.keys()]).toEqual(harmless.map((each) => each.split('=')[0]));
    }),
  );
});

test('any text is an answer, never a throw', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (anyPath, anyQuery) => {
      expect(() => targetOf(anyPath, anyQuery, bases)).not.toThrow();
      expect(() => targetOf(`/gemini/${anyPath}`, `?${anyQuery}`, bases)).not.toThrow();
    }),
  );
});
