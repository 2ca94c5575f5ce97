import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor, redactedCopy } from '../../../src/engine/plain/redact.ts';

const redact = createRedactor();
const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';
const key = (length: number): string => Array.from({ length }, (_, index) => letters[(index * 7 + 3) % letters.length]).join('');
// Concatenated here, so that no scanner reports them as leaked secrets.
const join = (...parts: readonly string[]): string => parts.join('');

const secrets: Readonly<Record<string, readonly [string, string]>> = {
  'model key': [join('sk', '-proj-', key(40)), 'call failed for %'],
  'payment key': [join('sk', '_live_', key(24)), 'key % is invalid'],
  'cloud key id': [join('AKIA', 'ABCDEFGHIJKLMNOP'), 'access denied for %'],
  'forge token': [join('ghp', '_', key(36)), 'remote: % rejected'],
  'fine-grained forge token': [join('github', '_pat_', key(40)), 'bad %'],
  'chat token': [join('xoxb', '-', key(24)), 'invalid_auth: %'],
  'map key': [join('AIza', key(35)), 'API key % not valid'],
  jwt: [join('eyJ', key(20), '.', join('eyJ', key(30)), '.', key(40)), 'expired: %'],
  'bearer token': [join(key(30)), 'Authorization failed: Bearer %'],
  'basic credentials': [join('dXNlcjpwYXNzd29yZDEyMw', '=='), 'sent Basic % to host'],
  'password in a URL': ['hunter2-swordfish', 'connect to postgres://admin:%@db.example.com:5432/app failed'],
  'password of a cache URL': ['hunter2-swordfish', 'redis://:%@cache:6379/0 refused'],
  'connection string': ['hunter2-swordfish', 'Server=db;User Id=sa;Password=%;Encrypt=true'],
  'query parameter': ['hunter2swordfish', 'GET /v1?api_key=%&city=Berlin 401'],
  'JSON field': ['hunter2 swordfish', '{"user":"anna","password":"%","city":"Berlin"}'],
  'JSON token': ['hunter2swordfish', '{"access_token": "%"}'],
  'environment variable': ['hunter2swordfish', 'AWS_SECRET_ACCESS_KEY=% is set'],
  header: ['hunter2swordfish', 'x-api-key: %'],
  'single quotes': ["hunter2'swordfish".replace("'", '-'), "{'client_secret': '%'}"],
};

describe('secrets', () => {
  it.each(Object.entries(secrets))('%s', (_name, [secret, sentence]) => {
    const shown = redact(sentence.replace('%', secret));
    expect(shown).not.toContain(secret);
    expect(shown).toContain('[redacted]');
    expect(redact(shown)).toBe(shown);
  });

  it('private keys, complete or truncated', () => {
    const begin = join('-----BEGIN RSA ', 'PRIVATE KEY-----');
    const end = join('-----END RSA ', 'PRIVATE KEY-----');
    expect(redact(`before ${begin}\n${key(200)}\n${end} after`)).toBe('before [redacted] after');
    expect(redact(`before ${begin}\n${key(200)}`)).toBe('before [redacted]');
  });

  it('configured secrets, longest first', () => {
    const own = createRedactor({ secrets: ['abcd', 'abcdef', 'xy'], patterns: ['order-\\d+'] });
    expect(own('abcdef abcd xy order-77')).toBe('[redacted] [redacted] xy [redacted]');
  });

  it('keep the rest of the sentence', () => {
    expect(redact('connect to postgres://admin:hunter2@db.example.com:5432/app failed')).toMatch(
      /^connect to postgres:\/\/.*@db\.example\.com:5432\/app failed$/,
    );
    expect(redact('{"user":"anna","password":"x1y2","city":"Berlin"}')).toMatch(/"user":"anna".*"city":"Berlin"/);
  });

  it('across the length limit', () => {
    const secret = 'Z'.repeat(40);
    const own = createRedactor({ secrets: [secret], maxChars: 100 });
    for (let at = 55; at <= 100; at++) expect(own(`${'a '.repeat(50).slice(0, at)}${secret} tail`)).not.toMatch(/Z{4}/);
  });

  it('refuses an invalid pattern', () => {
    expect(() => createRedactor({ patterns: ['('] })).toThrow('createRedactor.patterns[0] must be the source of a regular expression');
  });
});

describe('a string that is too long', () => {
  const own = createRedactor({ maxChars: 40, secrets: ['swordfish'] });

  it('keeps its start, and reports its length', () => {
    expect(own('a'.repeat(40))).toBe('a'.repeat(40));
    expect(own('a'.repeat(41))).toBe(`${'a'.repeat(18)}… (cut, 41 characters)`);
    expect(own('a'.repeat(5_000))).toBe(`${'a'.repeat(16)}… (cut, 5000 characters)`);
  });

  it('keeps nothing if the limit is too small', () => {
    expect(createRedactor({ maxChars: 5 })('a'.repeat(41))).toBe('… (cut, 41 characters)');
  });

  it('that is short enough after masking is kept completely', () => {
    const hidden = 'S'.repeat(60);
    expect(createRedactor({ maxChars: 40, secrets: [hidden] })(`use ${hidden} now`)).toBe('use [redacted] now');
  });

  it('is not cut within a mask', () => {
    expect(own(`${'a'.repeat(12)} swordfish ${'b'.repeat(30)}`)).toBe('aaaaaaaaaaaa … (cut, 53 characters)');
    expect(own(`swordfish ${'b'.repeat(60)}`)).toBe('[redacted] bbbbbbb… (cut, 70 characters)');
    // A bracket that does not start a mask is ordinary text.
    expect(own(`[see] ${'b'.repeat(60)}`)).toBe('[see] bbbbbbbbbbbb… (cut, 66 characters)');
    expect(own(`${'b'.repeat(14)}[s ${'b'.repeat(60)}`)).toBe(`${'b'.repeat(14)}[s b… (cut, 77 characters)`);
  });

  it('hides a secret that begins within the limit and ends beyond it', () => {
    const long = 'S'.repeat(500);
    expect(createRedactor({ maxChars: 100, secrets: [long] })(`${'a '.repeat(30)}${long}${' b'.repeat(600)}`)).toBe(
      `${'a '.repeat(30)}[redacted] b b b… (cut, 1760 characters)`,
    );
  });
});

it('text after a mask is checked again', () => {
  expect(redact('https://"secret":"Bearer "@')).toBe('https://[redacted]@');
});

describe('text that is not secret is kept', () => {
  it.each([
    'Connection refused by flight_search after 30s',
    'GET https://api.example.com:8443/v1/flights?city=Berlin&max=3 failed with 503',
    'Unexpected end of JSON input at position 12',
    'max_tokens: 4096 is more than the model allows',
    'The password is wrong',
    'Basic authentication is required',
    'Token validation failed',
    'Invalid token provided',
    'Token endpoint returned 500',
    "Required parameter 'secretary' missing",
    'author: Jane Doe, cookies enabled',
    'skiing-in-the-alps-for-beginners and sky-blue things',
    '2025-11-05T10:30:45Z request 550e8400-e29b-41d4-a716-446655440000',
    'mailto:anna@example.com',
    'ratio 3:4@2x',
    'task-force-one, desk_lamp, risk-free',
    '',
  ])('%s', (text) => {
    expect(redact(text)).toBe(text);
  });
});

describe('for any text', () => {
  const pieces = fc.constantFrom(
    'password=',
    'token: ',
    '"secret":"',
    '"',
    'Bearer ',
    'Basic ',
    key(20),
    '[redacted]',
    '://',
    'https://',
    'u:p@',
    '@',
    ' ',
    '=',
    ';',
    'eyJ',
    '.',
    join('sk', '-'),
    '\n',
    'x',
    '-----BEGIN ',
    'PRIVATE KEY-----',
    '4111 1111 1111 1111',
    '1111',
    '-',
    '123-45-6789',
  );
  const text = fc.oneof(
    fc.string(),
    fc.array(pieces, { maxLength: 30 }).map((list) => list.join('')),
  );

  it('twice has the same result as once', () => {
    fc.assert(
      fc.property(text, fc.constantFrom(60, 100, 8_192), (given, maxChars) => {
        const own = createRedactor({ maxChars });
        const once = own(given);
        expect(own(once)).toBe(once);
      }),
      { numRuns: 3_000 },
    );
  });

  it('also for texts beyond the limit', () => {
    const once = redact('word '.repeat(5_000));
    expect(redact(once)).toBe(once);
    expect(once.length).toBeLessThan(8_300);
  });

  it.each([
    ['a-'],
    ['a'],
    ['eyJ-'],
    ['password='],
    ['http://'],
    ['-----BEGIN PRIVATE KEY-----'],
    ['sk-a-'],
    ['Bearer '],
    ['"password":"\\"'],
    ['4111 '],
    ['1'],
    ['4111-1111-'],
  ])('takes no time for %.12s…', (piece) => {
    const own = createRedactor({ maxChars: 100_000 });
    // Processor time, so that a busy machine does not matter.
    const start = process.cpuUsage();
    own(piece.repeat(100_000 / piece.length));
    expect(process.cpuUsage(start).user / 1_000).toBeLessThan(2_000);
  });
});

describe('a redacted copy', () => {
  const copy = (value: unknown, more: object = {}): unknown => redactedCopy(value, { redact, ...more });

  it('masks any value under a secret name', () => {
    expect(copy({ user: 'anna', password: 'x', apiKey: 12_345_678, auth: { refresh_token: ['a', 'b'] }, secret: { value: 'x' } })).toEqual({
      user: 'anna',
      password: '[redacted]',
      apiKey: '[redacted]',
      auth: { refresh_token: '[redacted]' },
      secret: '[redacted]',
    });
  });

  it('masks secrets in texts at any depth, and in names', () => {
    const secret = join('sk', '-proj-', key(40));
    expect(JSON.stringify(copy({ list: [{ text: `use ${secret}` }], [secret]: 1 }))).not.toContain(secret);
  });

  it('is bounded and JSON-compatible', () => {
    const ring: Record<string, unknown> = { big: 10n, run: () => 1, when: new Date(0), nothing: undefined, number: Number.NaN };
    ring['ring'] = ring;
    const text = JSON.stringify(copy({ ring, long: 'x'.repeat(100_000), many: Array.from({ length: 100_000 }, () => 'y') }));
    expect(text.length).toBeLessThan(10_000);
  });

  it('describes values without a JSON representation', () => {
    const unreadable = Object.defineProperty({}, 'door', {
      enumerable: true,
      get: () => {
        throw new Error('locked');
      },
    });
    expect(
      copy([null, true, 5, -0.5, Number.NaN, Number.POSITIVE_INFINITY, 'text', undefined, 10n, () => 1, Symbol('s'), unreadable]),
    ).toEqual([
      null,
      true,
      5,
      -0.5,
      'NaN',
      'Infinity',
      'text',
      undefined,
      '[bigint 10]',
      '[function]',
      '[symbol]',
      { door: '[unreadable]' },
    ]);
  });

  it('masks nothing in text without secrets', () => {
    expect(copy({ password: null, token: undefined, secret: false })).toEqual({ password: null, token: undefined, secret: false });
  });

  it('has a maximum depth', () => {
    expect(copy({ a: { b: { c: 1 } } }, { maxDepth: 2 })).toEqual({ a: { b: '…' } });
    expect(copy([[[1]]], { maxDepth: 2 })).toEqual([['…']]);
    expect(copy([[1]], { maxDepth: 2 })).toEqual([[1]]);
    const deep = JSON.parse(`${'['.repeat(50)}${']'.repeat(50)}`) as unknown;
    expect(JSON.stringify(copy(deep))).toBe('[[[[[[[["…"]]]]]]]]');
  });

  it('has at most a hundred entries of everything', () => {
    expect(copy(Array.from({ length: 101 }, () => 1))).toHaveLength(100);
    expect(Object.keys(copy(Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`n${index}`, 1]))) as object)).toHaveLength(100);
  });

  it('counts the characters of all texts and names together', () => {
    const little = { maxChars: 10 };
    expect(copy(['abcdefgh', 'ij'], little)).toEqual(['abcdefgh', 'ij']);
    expect(copy(['abcdefgh', 'ijk', 'l', { m: 1 }, 5], little)).toEqual(['abcdefgh', 'ij…', '…', '…', 5]);
    expect(copy({ abcdefgh: 1, ij: 2, k: 3 }, little)).toEqual({ abcdefgh: 1, ij: 2 });
    expect(copy([{ abcdefgh: 'ij' }, { k: 3 }], little)).toEqual([{ abcdefgh: 'ij' }, '…']);
  });

  it('hides a secret that begins within the limit and ends beyond it', () => {
    const secret = join('sk', '-proj-', key(40));
    const shown = copy(`${'a '.repeat(140)}${secret} ${'b '.repeat(1_000)}`, { maxChars: 300 });
    expect(shown).toBe(`${'a '.repeat(140)}[redacted] b b b b b…`);
  });
});
