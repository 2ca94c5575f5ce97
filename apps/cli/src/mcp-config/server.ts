/** How a host starts this gateway as a program, or connects to its address. */
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Manifest } from '@holdfast/manifest';
import { UsageError } from '../exit-codes.ts';
import { listenUrl } from '../listen-url.ts';

/** A program that the host starts. All paths are absolute, since hosts use any working folder and often a short PATH. */
export interface ProgramServer {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Environment variables that the manifest reads. */
  readonly variables: readonly string[];
}

/** An address that the host connects to. */
export interface AddressServer {
  readonly name: string;
  readonly url: string;
  /** The environment variable that holds the token. */
  readonly token: string | undefined;
}

export function programServer(name: string, manifest: Manifest, store: string | undefined): ProgramServer {
  const script = realpathSync(process.argv[1] ?? '');
  // The npx cache may be gone at the next start.
  const isFromNpx = /[/\\]_npx[/\\]/.test(script);
  const storeOption = store === undefined ? [] : ['--store', store === 'none' ? store : resolve(store)];
  const args = ['serve', '--stdio', '--config', resolve(manifest.folder, resolve(manifest.file)), ...storeOption];
  return {
    name,
    command: isFromNpx ? 'npx' : process.execPath,
    args: isFromNpx ? ['-y', 'holdfast', ...args] : [script, ...args],
    variables: variablesOf(manifest),
  };
}

/** The names of the environment variables that servers, APIs and tools use. */
function variablesOf({ mcpServers, openapi, tools }: Manifest): readonly string[] {
  const found = new Set<string>();
  const collect = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, part] of Object.entries(value)) {
      if (key === 'env' && typeof part === 'string') found.add(part);
      else collect(part);
    }
  };
  collect([mcpServers, openapi, tools.map(({ run }) => run)]);
  return [...found].toSorted();
}

/** `given` replaces the manifest's address. */
export function addressServer(name: string, { gateway }: Manifest, given: string | undefined): AddressServer {
  const { listen, tokens } = gateway;
  if (given === undefined && listen.path !== undefined)
    throw new UsageError(
      `the gateway listens on the Unix socket ${listen.path}, which hosts cannot reach.\nUse --stdio, or give the address with --url <url>.`,
    );
  return { name, url: mcpAddress(given ?? listenUrl(listen)), token: tokens[0]?.env };
}

function mcpAddress(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw new UsageError(`'${given}' is not a URL. Give one such as http://127.0.0.1:7340`);
  if (url.username !== '' || url.password !== '')
    throw new UsageError('the URL has a user or password, which would end up in the file: use a token from gateway.tokens.');
  if (url.pathname === '/') url.pathname = '/mcp';
  return url.href;
}
