import { getEventListeners } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Runner } from '@holdfast/core';
import { type HttpRunnerOptions, httpRunner } from '../../src/index.ts';
import { attempt, closeAll, rejection } from '../support/attempt.ts';
import { until } from '../support/processes.ts';
import { type Web, startWeb } from '../support/web.ts';

interface Echo {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

let web: Web;
let base: string;
const open: Runner<unknown>[] = [];

beforeAll(async () => {
  web = await startWeb('web.mjs');
  base = `http://127.0.0.1:${web.port}`;
});
afterAll(() => web.stop());
afterEach(async () => {
  await closeAll(open.splice(0));
  await until('no socket is left', () => !process.getActiveResourcesInfo().some((name) => name.startsWith('TCP')), 1000);
});

function runner(options: HttpRunnerOptions): Runner<unknown> {
  const made = httpRunner(options);
  open.push(made);
  return made;
}
const get = (path: string, options: Partial<HttpRunnerOptions> = {}): Runner<unknown> => runner({ url: `${base}${path}`, ...options });
const call = (run: Runner<unknown>, args: unknown = {}): Promise<unknown> => Promise.resolve(run(args, attempt().context));
const echo = async (options: HttpRunnerOptions, args: unknown): Promise<Echo> => (await call(runner(options), args)) as Echo;

describe('the request', () => {
  it('fills path and query, encoded', async () => {
    const url = `${base}/echo/{{arguments.city}}/x-{{arguments.n}}?fixed=1&q={{arguments.q}}`;
    const seen = await echo({ url }, { city: 'a/b?c#d %', n: 7, q: 'x&y=z ü' });
    expect(seen.url).toBe('/echo/a%2Fb%3Fc%23d%20%25/x-7?fixed=1&q=x%26y%3Dz%20%C3%BC');
  });

  it('sends unused arguments as query of a GET and as body of a POST', async () => {
    const url = `${base}/echo/{{arguments.city}}`;
    const args = { city: 'Ulm', days: 3, tags: ['a', 'b'], none: null };
    expect((await echo({ url }, args)).url).toBe('/echo/Ulm?days=3&tags=a&tags=b');
    const posted = await echo({ url, method: 'POST' }, args);
    expect(JSON.parse(posted.body)).toEqual({ days: 3, tags: ['a', 'b'], none: null });
    expect(posted.headers).toMatchObject({ 'content-type': 'application/json', 'idempotency-key': 'key-1' });
    expect((await echo({ url }, args)).headers['idempotency-key']).toBeUndefined();
  });

  it('fills query, headers and body from templates and secrets', async () => {
    process.env['HOLDFAST_TEST_TOKEN'] = 's3cret';
    const secret = { env: 'HOLDFAST_TEST_TOKEN' };
    const seen = await echo(
      {
        method: 'PUT',
        url: `${base}/echo`,
        query: { key: secret, page: '{{arguments.page}}', absent: '{{arguments.absent}}', fixed: 1, both: ['{{arguments.page}}', 'x'] },
        headers: { Authorization: { ...secret, prefix: 'Bearer ' }, 'x-user': 'u-{{arguments.user}}', 'x-absent': '{{arguments.absent}}' },
        body: {
          user: { name: '{{arguments.user}}' },
          page: '{{arguments.page}}',
          text: 'page {{arguments.page}}',
          list: [1, '{{arguments.list}}'],
          gone: '{{arguments.absent}}',
        },
        idempotencyHeader: 'X-Request-Id',
      },
      { page: 2, user: 'ann', list: [true, null] },
    );
    expect(seen.url).toBe('/echo?key=s3cret&page=2&fixed=1&both=2&both=x');
    expect(seen.headers).toMatchObject({ authorization: 'Bearer s3cret', 'x-user': 'u-ann', 'x-request-id': 'key-1' });
    expect(seen.headers['x-absent']).toBeUndefined();
    expect(JSON.parse(seen.body)).toEqual({ user: { name: 'ann' }, page: 2, text: 'page 2', list: [1, [true, null]] });
    delete process.env['HOLDFAST_TEST_TOKEN'];
    const missing = runner({ url: `${base}/echo`, headers: { authorization: secret } });
    expect(await rejection(call(missing))).toMatchObject({ code: 'SECRET_MISSING' });
  });

  it('sends forms and plain text by content type', async () => {
    const form = { method: 'POST', url: `${base}/echo`, headers: { 'content-type': 'application/x-www-form-urlencoded' } } as const;
    expect((await echo(form, { a: 'x y', b: [1, 2] })).body).toBe('a=x+y&b=1&b=2');
    const plain = {
      method: 'POST',
      url: `${base}/echo`,
      headers: { 'content-type': 'text/plain' },
      body: 'hello {{arguments.name}}',
    } as const;
    expect((await echo(plain, { name: 'you' })).body).toBe('hello you');
  });

  it.each([
    ['..', 'would change the path'],
    ['.', 'would change the path'],
    ['', 'would change the path'],
    [undefined, "'id' missing"],
    [null, "'id' missing"],
  ])('refuses the path value %j', async (id, message) => {
    const error = await rejection(call(get('/echo/{{arguments.id}}/secrets'), { id }));
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect(error.message).toContain(message);
  });

  it('keeps encoded dots and slashes inside their segment', async () => {
    const seen = (await call(get('/echo/a/{{arguments.id}}'), { id: '../../x' })) as Echo;
    expect(seen.url).toBe('/echo/a/..%2F..%2Fx');
  });

  it('refuses header values that would add a header', async () => {
    const run = get('/echo', { headers: { 'x-name': '{{arguments.name}}' } });
    for (const name of ['a\r\nX-Evil: 1', 'a\nb', 'a\0b', '✓'])
      expect(await rejection(call(run, { name }))).toMatchObject({ code: 'INVALID_ARGUMENT' });
  });

  it('reuses a connection', async () => {
    const run = get('/seen');
    const first = (await call(run)) as { readonly sockets: number };
    for (let round = 0; round < 10; round++) await call(run);
    const last = (await call(run)) as { readonly sockets: number };
    // The second request may start before the first connection counts as free.
    expect(last.sockets - first.sockets).toBeLessThanOrEqual(1);
  });
});

describe('the answer', () => {
  it('is JSON, text, or null without content', async () => {
    expect(await call(get('/created'))).toEqual({ id: 1 });
    expect(await call(get('/page', { response: 'text' }))).toBe('<html>sign in</html>');
    expect(await call(get('/empty'))).toBeNull();
    expect(await call(get('/zipped'))).toEqual({ zipped: true });
  });

  it('that is not JSON is INVALID_RESPONSE', async () => {
    const error = await rejection(call(get('/page')));
    expect(error).toMatchObject({ code: 'INVALID_RESPONSE', status: 200, body: '<html>sign in</html>' });
  });

  it('with another status carries status, headers and body', async () => {
    const error = await rejection(call(get('/throttle?key=hidden')));
    expect(error).toMatchObject({
      code: 'HTTP_STATUS',
      status: 429,
      headers: { 'retry-after': '7', 'x-ratelimit-reset': '12' },
      body: { error: { message: 'too many' } },
      message: `HTTP 429 from GET ${base}/throttle: too many`,
    });
    expect(error['headers']).not.toHaveProperty('set-cookie');
    expect(await rejection(call(get('/errorpage')))).toMatchObject({ status: 502, message: `HTTP 502 from GET ${base}/errorpage` });
    expect(await rejection(call(get('/nowhere')))).toMatchObject({
      status: 404,
      message: expect.stringContaining('no such path') as string,
    });
  });

  it('counts as success only with the configured statuses', async () => {
    expect(await rejection(call(get('/created', { successStatus: [200] })))).toMatchObject({ status: 201 });
    expect(await call(get('/fail', { successStatus: [200, 503] }))).toEqual({ message: 'database is away' });
  });

  it('over the limit is OUTPUT_TOO_LARGE, also decompressed', async () => {
    expect(await rejection(call(get('/big', { maxResponseBytes: 1000 })))).toMatchObject({ code: 'OUTPUT_TOO_LARGE' });
    expect(await rejection(call(get('/bomb', { maxResponseBytes: 1_000_000 })))).toMatchObject({ code: 'OUTPUT_TOO_LARGE' });
  });

  it('that breaks off or never arrives keeps the code of the network error', async () => {
    expect(await rejection(call(get('/cut')))).toMatchObject({ code: 'UND_ERR_SOCKET' });
    expect(await rejection(call(get('/reset')))).toMatchObject({ code: 'ECONNRESET' });
    const closedPort = await freePort();
    expect(await rejection(call(runner({ url: `http://127.0.0.1:${closedPort}/` })))).toMatchObject({ code: 'ECONNREFUSED' });
    expect(await rejection(call(runner({ url: 'http://nowhere.invalid/' })))).toMatchObject({ syscall: 'getaddrinfo' });
  });
});

describe('redirects', () => {
  const to = (target: string, status = 302): string => `/redirect?status=${status}&to=${encodeURIComponent(target)}`;

  it('are followed on the same host, with the method by status', async () => {
    const post = { method: 'POST', body: { a: 1 }, headers: { authorization: 'x' } } as const;
    expect(await call(get(to('/echo', 307), post))).toMatchObject({ method: 'POST', body: '{"a":1}', headers: { authorization: 'x' } });
    expect(await call(get(to('/echo', 303), post))).toMatchObject({ method: 'GET', body: '', headers: { authorization: 'x' } });
    expect(await call(get(to('echo?x=1', 301)))).toMatchObject({ url: '/echo?x=1' });
  });

  it('to another host are refused before anything is sent, unless it is allowed, and then without its headers', async () => {
    const other = `http://localhost:${web.port}`;
    const headers = { authorization: 'Bearer x', 'x-api-key': 'y', cookie: 'z' };
    const forbidden = await rejection(call(get(to(`${other}/echo`), { headers })));
    expect(forbidden).toMatchObject({ code: 'REDIRECT_FORBIDDEN', host: `localhost:${web.port}` });
    const allowedHosts = [`127.0.0.1:${web.port}`, `localhost:${web.port}`];
    const seen = (await call(get(to(`${other}/echo`, 307), { headers, allowedHosts, method: 'POST' }))) as Echo;
    for (const name of ['authorization', 'x-api-key', 'cookie', 'idempotency-key']) expect(seen.headers).not.toHaveProperty(name);
    expect(seen.headers['content-type']).toBe('application/json');
  });

  it.each([
    'http://169.254.169.254/latest/meta-data',
    'http://127.0.0.1:1/',
    'file:///etc/passwd',
    '//evil.example/x',
    'http://user:pass@127.0.0.1/',
  ])('to %s are refused', async (target) => {
    expect(await rejection(call(get(to(target))))).toMatchObject({ code: 'REDIRECT_FORBIDDEN' });
  });

  it('are checked at every hop and end after the limit', async () => {
    const twice = to(to('http://evil.example/'));
    expect(await rejection(call(get(twice)))).toMatchObject({ code: 'REDIRECT_FORBIDDEN' });
    expect(await rejection(call(get('/loop', { maxRedirects: 3 })))).toMatchObject({ code: 'TOO_MANY_REDIRECTS' });
    expect(await rejection(call(get('/loop', { maxRedirects: 0 })))).toMatchObject({ code: 'TOO_MANY_REDIRECTS' });
  });
});

describe('abort', () => {
  it.each(['/hang', '/hangbody', '/hangerror'])('closes the connection of %s and leaves no listener', async (path) => {
    const run = get(path);
    const seen = get('/seen');
    const { closedEarly } = (await call(seen)) as { readonly closedEarly: number };
    const made = attempt();
    const pending = run({}, made.context);
    await wait(100);
    made.abort(new Error('time is up'));
    expect(await rejection(pending)).toMatchObject({ message: 'time is up' });
    expect(getEventListeners(made.signal, 'abort')).toEqual([]);
    await until(
      'the server has seen the end',
      async () => ((await call(seen)) as { readonly closedEarly: number }).closedEarly > closedEarly,
    );
  });

  it('of a pending connection', async () => {
    const made = attempt();
    // 192.0.2.0/24 is for documentation: no host answers.
    const pending = runner({ url: 'http://192.0.2.1/' })({}, made.context);
    made.abort(new Error('time is up'));
    expect(await rejection(pending)).toMatchObject({ message: 'time is up' });
  });

  it('happens to every call on close', async () => {
    const run = get('/hang');
    const pending = call(run);
    pending.catch(() => {});
    await wait(50);
    await run.close?.();
    expect(await rejection(pending)).toMatchObject({ code: 'RUNNER_CLOSED' });
  });
});

describe('options', () => {
  const url = 'https://api.example.com/';
  it.each([
    [{}, /url is undefined: give a URL/],
    [{ url: 'ftp://example.com/' }, /url is "ftp:.*give a URL/],
    [{ url: 'https://{{arguments.host}}/' }, /url is .*host are literal/],
    [{ url: 'https://user:pass@example.com/' }, /without user or password/],
    [{ url: 'https://example.com/{{city}}' }, /write placeholders as \{\{arguments\.name\}\}/],
    [{ url, method: 'GET', body: {} }, /a GET request has no body/],
    [{ url, method: 'FETCH' }, /method is "FETCH": choose one of GET, POST/],
    [{ url, headers: { 'a b': 'x' } }, /headers is "a b": give the name of a header/],
    [{ url, headers: { Host: 'x' } }, /the request sets this header/],
    [{ url, headers: { a: { envv: 'X' } } }, /headers\.a is an object: give a string or \{ env/],
    [{ url, allowedHosts: ['https://example.com'] }, /allowedHosts\[0\] is/],
    [{ url, allowedHosts: ['*'] }, /allowedHosts\[0\] is "\*"/],
    [{ url, query: { a: () => {} } }, /query\.a is a function/],
    [{ url, method: 'POST', body: { a: ['{{args}}'] } }, /body\.a\.0 is/],
    [{ url, timeoutMs: 5 }, /httpRunner has no setting 'timeoutMs'\. Known: method, url/],
  ])('%j are refused at once', (options, message) => {
    expect(() => httpRunner(options as unknown as HttpRunnerOptions)).toThrow(message);
    expect(() => httpRunner(options as unknown as HttpRunnerOptions)).toThrow(TypeError);
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
