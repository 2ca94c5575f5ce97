/** Owns an authorization server for tests: metadata, keys, introspection, and tokens signed by hand. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

export interface TestIssuer extends AsyncDisposable {
  readonly url: string;
  /** Paths that were requested. */
  readonly requests: string[];
  /** How it answers from now on. */
  mode: 'works' | 'hangs' | 'fails';
  /** Opaque tokens, by their text. */
  readonly opaque: Map<string, object>;
  rotate(): Promise<void>;
  sign(claims: JWTPayload, header?: Record<string, unknown>): Promise<string>;
}

export async function startIssuer(): Promise<TestIssuer> {
  const requests: string[] = [];
  const opaque = new Map<string, object>();
  let keyNumber = 0;
  let pair = await generateKeyPair('ES256');
  const keys = async (): Promise<object> => ({ keys: [{ ...(await exportJWK(pair.publicKey)), kid: `k${keyNumber}`, alg: 'ES256' }] });
  const answers: Record<string, (body: string) => object | Promise<object>> = {
    '/.well-known/oauth-authorization-server': () => ({
      issuer: issuer.url,
      jwks_uri: `${issuer.url}/keys`,
      introspection_endpoint: `${issuer.url}/introspect`,
    }),
    '/keys': keys,
    '/introspect': (body) => opaque.get(new URLSearchParams(body).get('token') ?? '') ?? { active: false },
  };
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    requests.push(`${request.method} ${path}`);
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      if (issuer.mode === 'hangs') return;
      void Promise.resolve(issuer.mode === 'works' ? answers[path]?.(body) : undefined).then((answer) => {
        response.writeHead(answer === undefined ? 500 : 200, { 'content-type': 'application/json' });
        response.end(JSON.stringify(answer ?? {}));
      });
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const issuer: TestIssuer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    mode: 'works',
    opaque,
    async rotate() {
      keyNumber += 1;
      pair = await generateKeyPair('ES256');
    },
    sign: (claims, header = {}) =>
      new SignJWT({ iss: issuer.url, sub: 'ann', exp: Math.floor(Date.now() / 1000) + 600, ...claims })
        .setProtectedHeader({ alg: 'ES256', kid: `k${keyNumber}`, ...header })
        .sign(pair.privateKey),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
  return issuer;
}
