/**
 * Owns making a connection of a link: greeting the server, and what a request needs beyond the conversation in the modern era over HTTP.
 */
import { isRpcError } from '../message.ts';
import type { ConnectOptions, McpConnection } from './connection.ts';
import { handshake } from './handshake.ts';
import type { MessageLink } from './link.ts';
import { type Peer, createPeer } from './peer.ts';
import { toolRequests } from './tool-requests.ts';

/**
 * Greets the server at the other end of a link that nobody has used yet.
 * Rejects with why there is no connection; the link is then still to be closed.
 */
export async function connect(link: MessageLink, options: ConnectOptions): Promise<McpConnection> {
  const peer = createPeer(link, options);
  const greeting = await handshake(peer, options);
  const isLegacy = greeting.era === 'legacy';
  if (isLegacy && options.listen === true) await link.listen?.();
  return {
    greeting,
    request: isLegacy || !link.hasStreams ? peer.request : toolRequests(peer),
    notify: peer.notify,
    isWell: (limitMs) => respondsWithin(peer, isLegacy ? 'ping' : 'server/discover', limitMs),
    cancelsDelivered: peer.cancelsDelivered,
    ended: peer.ended,
    close: () => link.close(),
  };
}

async function respondsWithin(peer: Peer, method: string, limitMs: number): Promise<boolean> {
  const late = new AbortController();
  const patience = setTimeout(() => late.abort(), limitMs);
  try {
    await peer.request(method, undefined, { signal: late.signal });
    return true;
  } catch (error) {
    return isRpcError(error);
  } finally {
    clearTimeout(patience);
  }
}
