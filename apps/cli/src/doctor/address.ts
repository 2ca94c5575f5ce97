/** Checks the gateway's listen address and its tokens. */
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import type { Manifest } from '@holdfast/manifest';
import { displayPath } from '../config.ts';
import type { Finding } from './finding.ts';

const minTokenLength = 16;

const isLoopback = (host: string): boolean => /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);

export async function checkAddress({ gateway }: Manifest): Promise<readonly Finding[]> {
  const { host, port, path } = gateway.listen;
  if (path !== undefined)
    return [{ check: 'address', status: 'ok', message: `Unix socket ${displayPath(path)}${existsSync(path) ? ', already exists' : ''}` }];
  const address = `${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`;
  const error = port === 0 ? undefined : await listenError(host.replace(/^\[(.*)\]$/, '$1'), port);
  if (error === undefined)
    return [{ check: 'address', status: 'ok', message: port === 0 ? `${host}, any free port` : `${address} is free` }];
  if (error === 'EADDRINUSE')
    return [await checkAddressInUse(address, isLoopback(host) || host === '0.0.0.0' || host === '::' ? port : undefined)];
  const advice =
    error === 'EACCES'
      ? 'Ports below 1024 need special permission: choose a higher one under gateway.listen.port.'
      : 'Set gateway.listen.host to an address of this machine.';
  return [{ check: 'address', status: 'error', message: `cannot listen on ${address} (${error})`, advice }];
}

function listenError(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

/** A gateway that already runs at the address is no error. */
async function checkAddressInUse(address: string, port: number | undefined): Promise<Finding> {
  const check = 'address';
  if (port !== undefined && (await isGateway(port))) return { check, status: 'ok', message: `a gateway is already running at ${address}` };
  return {
    check,
    status: 'error',
    message: `${address} is in use by another program`,
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
  // Without tokens, the manifest only allows a local address.
  if (tokens.length === 0)
    return [{ check: 'tokens', status: 'ok', message: `none: everyone who can connect to ${listen.path ?? listen.host} has access` }];
  return tokens.map(({ name, env }): Finding => {
    const value = environment[env] ?? '';
    const common = { check: 'token', subject: name } as const;
    if (value === '')
      return {
        ...common,
        status: 'error',
        message: `${env} is not set`,
        advice: `Set it to a long random string: export ${env}="$(openssl rand -hex 32)"`,
      };
    if (value.length < minTokenLength)
      return {
        ...common,
        status: 'warning',
        message: `${env} has only ${value.length} characters`,
        advice: 'Short tokens can be guessed: use at least 32 random characters.',
      };
    return { ...common, status: 'ok', message: `${env} is set` };
  });
}
