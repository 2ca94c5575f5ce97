/** Owns the checks of an address before a gateway listens there: whether it may, and whether it can. */
import { createServer } from 'node:net';
import { bind } from './bind.ts';
import { isLoopback } from './guard.ts';
import type { AccessToken, ListenAddress } from './options.ts';
import { minTokenLength } from './tokens.ts';

/** Listens for a moment. Rejects with the fix if the address is in use or cannot be used. */
export async function checkFree(listen: ListenAddress): Promise<void> {
  const server = createServer((socket) => socket.destroy());
  await bind(server, listen);
  await new Promise<void>((resolve) => server.close(() => resolve()));
}

/** @throws TypeError with the fix for an address that other machines can reach without a token, or with one that can be guessed */
export function checkReachable(listen: ListenAddress, tokens: readonly AccessToken[], areRequired: boolean): void {
  if (!('host' in listen) || isLoopback(listen.host)) return;
  const where = `gateway.listen.host is "${listen.host}", which other machines can reach, and`;
  if (!areRequired)
    throw new TypeError(`${where} gateway.tokens is empty: add a token (gateway.tokens: [{ name, env }]), or listen on 127.0.0.1`);
  const short = tokens.find(({ secret }) => secret.length < minTokenLength);
  if (short !== undefined)
    throw new TypeError(
      `${where} the token '${short.name}' has ${short.secret.length} characters: use at least ${minTokenLength}, for example from \`openssl rand -base64 32\``,
    );
}
