/** Owns looking at the gateway's own address, and who may come in there. */
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import type { Manifest } from '@holdfast/manifest';
import { displayed } from '../config.ts';
import type { Finding } from './finding.ts';

const shortestToken = 16;

const isLoopback = (host: string): boolean => /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);

export async function checkAddress({ gateway }: Manifest): Promise<readonly Finding[]> {
  const { host, port, path } = gateway.listen;
  if (path !== undefined)
    return [{ check: 'address', status: 'ok', message: `Unix socket ${displayed(path)}${existsSync(path) ? ', there already' : ''}` }];
  const address = `${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`;
  const error = port === 0 ? undefined : await listenError(host.replace(/^\[(.*)\]$/, '$1'), port);
  if (error === undefined)
    return [{ check: 'address', status: 'ok', message: port === 0 ? `${host}, any free port` : `${address} is free` }];
  if (error === 'EADDRINUSE') return [await findOwner(address, isLoopback(host) || host === '0.0.0.0' || host === '::' ? port : undefined)];
  const advice =
    error === 'EACCES'
      ? 'Ports below 1024 need a right of their own: choose a higher one under gateway.listen.port.'
      : 'Give an address of this machine under gateway.listen.host.';
  return [{ check: 'address', status: 'error', message: `${address} cannot be listened on (${error})`, advice }];
}

function listenError(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

/** Perhaps by a gateway, which is what it is for. */
async function findOwner(address: string, port: number | undefined): Promise<Finding> {
  const check = 'address';
  if (port !== undefined && (await isGateway(port))) return { check, status: 'ok', message: `a gateway runs already at ${address}` };
  return {
    check,
    status: 'error',
    message: `${address} is taken by another program`,
    advice: 'Choose another port under gateway.listen.port, or with --port.',
  };
}

async function isGateway(port: number): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(2_000) });
    return response.ok && ((await response.json()) as { readonly status?: unknown }).status === 'ok';
  } catch {
    return false;
  }
}

export function checkTokens({ gateway }: Manifest, environment: NodeJS.ProcessEnv = process.env): readonly Finding[] {
  const { listen, tokens } = gateway;
  // Without a token the manifest allows no other address.
  if (tokens.length === 0)
    return [{ check: 'tokens', status: 'ok', message: `none: anyone who reaches ${listen.path ?? listen.host} may come in` }];
  return tokens.map(({ name, env }): Finding => {
    const value = environment[env] ?? '';
    const common = { check: 'token', subject: name } as const;
    if (value === '')
      return {
        ...common,
        status: 'error',
        message: `${env} is not set`,
        advice: `Set it to a long random text: export ${env}="$(openssl rand -hex 32)"`,
      };
    if (value.length < shortestToken)
      return {
        ...common,
        status: 'warning',
        message: `${env} has ${value.length} characters`,
        advice: 'Short tokens can be guessed: take 32 random characters or more.',
      };
    return { ...common, status: 'ok', message: `${env} is set` };
  });
}
