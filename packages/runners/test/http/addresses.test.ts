import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addressJudge, type AddressRule } from '../../src/http/address-rules.ts';
import { type HttpRunnerOptions, httpRunner } from '../../src/index.ts';
import { attempt, rejection } from '../support/attempt.ts';

const local = [
  '127.0.0.1',
  '127.255.255.254',
  '0.0.0.0',
  '0.1.2.3',
  '169.254.169.254',
  '169.254.0.1',
  '224.0.0.1',
  '239.255.255.255',
  '255.255.255.255',
  '100.100.100.200',
  '::1',
  '0:0:0:0:0:0:0:1',
  '::',
  'fe80::1',
  'fe80::1%eth0',
  'ff02::1',
  'fd00:ec2::254',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::FFFF:169.254.169.254',
  '::127.0.0.1',
  '64:ff9b::127.0.0.1',
  '64:ff9b::a9fe:a9fe',
  '2002:7f00:0001::1',
  '2002:a9fe:a9fe::',
];
const inside = [
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '100.64.0.1',
  'fc00::1',
  'fd12::1',
  '::ffff:10.1.2.3',
  '198.18.0.1',
  '240.0.0.1',
];
const outside = [
  '1.1.1.1',
  '8.8.8.8',
  '172.32.0.1',
  '11.0.0.1',
  '126.255.255.255',
  '128.0.0.1',
  '223.255.255.255',
  '2606:4700::1111',
  '::ffff:8.8.8.8',
];
const noAddress = ['', 'localhost', '127.1', '1.2.3', '256.0.0.1', ':::', 'g::1'];

describe('the rules', () => {
  const tell = (rule: AddressRule, addresses: readonly string[]): readonly string[] => addresses.filter(addressJudge(rule));

  it('network: no loopback, no link-local addresses', () => {
    expect(tell('network', local)).toEqual([]);
    expect(tell('network', [...inside, ...outside])).toEqual([...inside, ...outside]);
  });
  it('public: no private network either', () => {
    expect(tell('public', [...local, ...inside])).toEqual([]);
    expect(tell('public', outside)).toEqual(outside);
  });
  it('any: every address', () => {
    expect(tell('any', [...local, ...inside, ...outside])).toHaveLength(local.length + inside.length + outside.length);
  });
  it('a list: only these, in any notation', () => {
    const rule = ['10.1.0.0/16', '127.0.0.1', 'fd00::/8'];
    expect(
      tell(rule, [
        '10.1.255.1',
        '10.2.0.1',
        '127.0.0.1',
        '127.0.0.2',
        '::ffff:10.1.0.1',
        '::ffff:127.0.0.2',
        'fd01::1',
        'fe80::1',
        '8.8.8.8',
      ]),
    ).toEqual(['10.1.255.1', '127.0.0.1', '::ffff:10.1.0.1', 'fd01::1']);
  });
  it('an invalid address is never allowed', () => {
    for (const rule of ['network', 'public', ['0.0.0.0/0', '::/0']] as const) expect(tell(rule, noAddress)).toEqual([]);
  });
  it.each([['privat'], [[]], [['10.0.0.0/33']], [['example.com']], [['::/129']], [[7]], [true]])('%j is not a rule', (rule) => {
    expect(() => httpRunner({ url: 'http://h/', addresses: rule as AddressRule })).toThrow(/^httpRunner: addresses.*(choose|give)/);
  });
});

describe('a connection', () => {
  let server: Server;
  let port: number;
  let seen: { readonly url: string | undefined; readonly headers: IncomingHttpHeaders }[];
  let answer: (url: string) => { readonly status: number; readonly headers?: Record<string, string> };
  const open: { close?(): unknown }[] = [];

  beforeEach(async () => {
    seen = [];
    answer = () => ({ status: 200 });
    server = createServer((request, response) => {
      seen.push({ url: request.url, headers: request.headers });
      const { status, headers } = answer(request.url ?? '');
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end('{"ok":true}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ({ port } = server.address() as AddressInfo);
  });
  afterEach(async () => {
    for (const run of open.splice(0)) await run.close?.();
    await new Promise((resolve) => server.close(resolve));
  });

  const runner = (options: Partial<HttpRunnerOptions> & { readonly url: string }): (() => Promise<unknown>) => {
    const run = httpRunner(options);
    open.push(run);
    return async () => run({}, attempt().context);
  };
  /** A resolver that gives the next answer at each question. */
  const answering = (
    ...answers: readonly (readonly string[])[]
  ): NonNullable<HttpRunnerOptions['resolveHost']> & { readonly asked: string[] } => {
    const asked: string[] = [];
    const resolve = (host: string): Promise<readonly { readonly address: string; readonly family: number }[]> => {
      const addresses = answers[Math.min(asked.length, answers.length - 1)] ?? [];
      asked.push(host);
      return Promise.resolve(addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));
    };
    return Object.assign(resolve as NonNullable<HttpRunnerOptions['resolveHost']>, { asked });
  };

  it.each([['127.0.0.1'], ['::1'], ['169.254.169.254'], ['0.0.0.0'], ['::ffff:127.0.0.1']])(
    'is not made to a name that stands for %s',
    async (address) => {
      const error = await rejection(runner({ url: `http://api.example.com:${port}/`, resolveHost: answering([address]) })());
      expect(error).toMatchObject({ code: 'ADDRESS_FORBIDDEN', retryable: false, host: 'api.example.com' });
      expect(error.message).toContain(address);
      expect(seen).toEqual([]);
    },
  );

  it('is not made when one of several addresses is not allowed', async () => {
    const call = runner({ url: `http://api.example.com:${port}/`, resolveHost: answering(['192.0.2.1', '127.0.0.1']) });
    expect(await rejection(call())).toMatchObject({ code: 'ADDRESS_FORBIDDEN' });
  });

  it('goes to the checked address, whatever the name resolves to later', async () => {
    const resolveHost = answering(['127.0.0.1'], ['169.254.169.254']);
    const call = runner({ url: `http://api.example.com:${port}/`, resolveHost, addresses: ['127.0.0.1'] });
    expect(await call()).toEqual({ ok: true });
    expect(resolveHost.asked).toEqual(['api.example.com']);
    expect(seen[0]?.headers.host).toBe(`api.example.com:${port}`);
  });

  it('is checked each time', async () => {
    answer = () => ({ status: 200, headers: { connection: 'close' } });
    const resolveHost = answering(['127.0.0.1'], ['127.0.0.2']);
    const call = runner({ url: `http://api.example.com:${port}/`, resolveHost, addresses: ['127.0.0.1'] });
    expect(await call()).toEqual({ ok: true });
    expect(await rejection(call())).toMatchObject({ code: 'ADDRESS_FORBIDDEN' });
    expect(seen).toHaveLength(1);
  });

  it('is checked after a redirect, and nothing is sent', async () => {
    answer = () => ({ status: 302, headers: { location: `http://inner.example.com:${port}/secret` } });
    const resolveHost = answering(['127.0.0.1'], ['127.0.0.9']);
    const call = runner({
      url: `http://api.example.com:${port}/`,
      allowedHosts: [`*.example.com:${port}`],
      resolveHost,
      addresses: ['127.0.0.1'],
    });
    expect(await rejection(call())).toMatchObject({ code: 'ADDRESS_FORBIDDEN', host: 'inner.example.com' });
    expect(seen.map(({ url }) => url)).toEqual(['/']);
  });

  it('after a redirect to another host has no credentials', async () => {
    answer = (url) => (url === '/' ? { status: 307, headers: { location: `http://inner.example.com:${port}/next` } } : { status: 200 });
    const call = runner({
      url: `http://api.example.com:${port}/`,
      headers: { authorization: 'Bearer abc', 'x-api-key': 'k', cookie: 'a=b' },
      allowedHosts: [`*.example.com:${port}`],
      resolveHost: answering(['127.0.0.1']),
      addresses: 'any',
    });
    expect(await call()).toEqual({ ok: true });
    expect(seen.map(({ headers }) => [headers.authorization, headers['x-api-key'], headers.cookie])).toEqual([
      ['Bearer abc', 'k', 'a=b'],
      [undefined, undefined, undefined],
    ]);
  });

  it.each(['http://2130706433', 'http://0x7f.1', 'http://127.1', 'http://[::1]', 'http://localhost', 'http://127.0.0.1'])(
    'is not made to %s, where a redirect leads',
    async (origin) => {
      answer = () => ({ status: 302, headers: { location: `${origin}:${port}/secret` } });
      const call = runner({ url: `http://api.example.com:${port}/`, resolveHost: answering(['127.0.0.1']), addresses: 'any' });
      expect(await rejection(call())).toMatchObject({ code: 'REDIRECT_FORBIDDEN' });
      expect(seen).toHaveLength(1);
    },
  );

  it('to literal addresses and localhost of the configuration is allowed', async () => {
    expect(await runner({ url: `http://127.0.0.1:${port}/` })()).toEqual({ ok: true });
    expect(await runner({ url: `http://2130706433:${port}/` })()).toEqual({ ok: true });
    expect(await runner({ url: `http://localhost:${port}/`, resolveHost: answering(['127.0.0.1']) })()).toEqual({ ok: true });
    expect(await runner({ url: `http://my.localhost:${port}/`, resolveHost: answering(['127.0.0.1']) })()).toEqual({ ok: true });
  });

  it('is not made to localhost under a name that only looks like it', async () => {
    const call = runner({ url: `http://localhost.example.com:${port}/`, resolveHost: answering(['127.0.0.1']) });
    expect(await rejection(call())).toMatchObject({ code: 'ADDRESS_FORBIDDEN' });
  });

  it('reports a name without an address, or a failed lookup', async () => {
    const nobody = runner({ url: `http://api.example.com:${port}/`, resolveHost: answering([]) });
    expect(await rejection(nobody())).toMatchObject({ code: 'ENOTFOUND' });
    const failing = runner({
      url: `http://api.example.com:${port}/`,
      resolveHost: () => {
        throw Object.assign(new Error('no answer'), { code: 'EAI_AGAIN' });
      },
    });
    expect(await rejection(failing())).toMatchObject({ code: 'EAI_AGAIN' });
  });
});
