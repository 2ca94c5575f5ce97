import type { HttpShell, HttpShellOptions } from './options.ts';

/** Rejects with a `TypeError` where the address is open to others and no token guards it. */
export async function listenHttp(_options: HttpShellOptions): Promise<HttpShell> {
  throw new Error('Not there yet');
}
