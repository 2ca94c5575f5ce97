import { describe, expect, test } from 'vitest';
import { type McpUrlEntry, mcpServerOptions, parseManifest } from '../src/index.ts';

const parse = (server: string): ReturnType<typeof parseManifest> =>
  parseManifest(`mcp_servers: { a: { ${server} } }\n`, { file: 'holdfast.yaml', env: { SECRET: 'x'.repeat(20) }, purpose: 'check' });

const url = "url: 'https://h.example/mcp'";

test('a word is the type alone', () => {
  const { manifest, problems } = parse(`${url}, auth: oauth`);
  expect(problems).toEqual([]);
  const entry = manifest?.mcpServers['a'] as McpUrlEntry;
  expect(entry.auth).toEqual({ type: 'oauth', sendResource: true, subjectTokenType: 'access_token' });
  expect(mcpServerOptions('a', entry, '/')).not.toHaveProperty('auth');
});

test('every setting is read', () => {
  const { manifest, problems } = parse(
    `${url}, auth: { type: client_credentials, client_id: me, client_secret: { env: SECRET }, client_authentication: post, issuer: 'https://id.example', scopes: [read], resource: 'https://h.example', send_resource: false, addresses: public }`,
  );
  expect(problems).toEqual([]);
  const entry = manifest?.mcpServers['a'] as McpUrlEntry | undefined;
  expect(entry?.auth).toEqual({
    type: 'client_credentials',
    clientId: 'me',
    clientSecret: { env: 'SECRET' },
    clientAuthentication: 'post',
    issuer: 'https://id.example',
    scopes: ['read'],
    resource: 'https://h.example',
    sendResource: false,
    subjectTokenType: 'access_token',
    addresses: 'public',
  });
});

describe('mistakes', () => {
  const cases: readonly (readonly [text: string, message: RegExp])[] = [
    ['command: x, auth: oauth', /'auth' belongs to 'url'/],
    ["url: 'http://h.example/mcp', auth: oauth", /needs https/],
    [`${url}, auth: magic`, /auth/],
    [`${url}, headers: { Authorization: { env: SECRET } }, auth: oauth`, /is set by 'auth'/],
    [`${url}, auth: { type: oauth, issuer: 'http://id.example' }`, /'issuer' needs https/],
    [`${url}, auth: { type: oauth, redirect_url: 'http://h.example/cb' }`, /'redirect_url' needs https/],
    [`${url}, auth: { type: oauth, client_metadata_url: 'https://h.example' }`, /an https URL with a path/],
    [`${url}, auth: { type: oauth, client_secret: { env: SECRET } }`, /needs the credentials of a client/],
    [`${url}, auth: { type: oauth, client_id: me, client_secret: 'in the file' }`, /client_secret/],
    [`${url}, auth: { type: oauth, assertion: { env: SECRET } }`, /belongs to the type 'client_credentials'/],
    [`${url}, auth: { type: client_credentials, client_id: me }`, /needs the credentials of a client/],
    [`${url}, auth: { type: client_credentials, client_secret: { env: SECRET } }`, /needs the credentials of a client/],
    [
      `${url}, auth: { type: client_credentials, client_id: me, client_secret: { env: SECRET }, private_key: { env: SECRET } }`,
      /two ways to prove/,
    ],
    [
      `${url}, auth: { type: client_credentials, client_id: me, client_secret: { env: SECRET }, audience: b }`,
      /belongs to the type 'token_exchange'/,
    ],
    [`${url}, auth: token_exchange, isolation: per_principal`, /needs the credentials of a client/],
    [`${url}, auth: { type: token_exchange, client_id: me }`, /connections of their own/],
  ];
  test.for(cases)('%s', ([text, message]) => {
    const { problems } = parse(text);
    expect(problems.map((problem) => problem.message).join('\n')).toMatch(message);
    expect(JSON.stringify(problems)).not.toContain('in the file');
  });

  test('http is fine on this machine', () => {
    const { problems } = parse(
      "url: 'http://127.0.0.1:9/mcp', auth: { type: oauth, issuer: 'http://localhost:8/', redirect_url: 'http://127.0.0.1:7/cb' }",
    );
    expect(problems).toEqual([]);
  });
});
