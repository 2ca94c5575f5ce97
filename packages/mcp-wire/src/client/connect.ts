/**
 * Owns connecting over a link: the handshake, and the header rules of tool calls in the modern era over HTTP.
 */
import { checkOptions, type OptionKinds } from '../check-options.ts';
import { isRpcError } from '../message.ts';
import type { ConnectOptions, McpConnection } from './connection.ts';
import { handshake } from './handshake.ts';
import type { MessageLink } from './link.ts';
import { Peer } from './peer.ts';
import { toolRequests } from './tool-requests.ts';

const connectKinds: OptionKinds<ConnectOptions> = {
  eras: 'object',
  clientInfo: 'object',
  clientCapabilities: 'object',
  timeoutMs: 'amount',
  signal: 'object',
  answer: 'function',
  onNotification: 'function',
  listen: 'boolean',
};

/**
 * Connects to the server at the other end of an unused link.
 * Rejects with the reason when there is no connection; the caller still has to close the link.
 */
export async function connect(link: MessageLink, options: ConnectOptions): Promise<McpConnection> {
  checkOptions(connectKinds, options, 'connect', ['eras', 'clientInfo', 'clientCapabilities', 'timeoutMs']);
  const peer = new Peer(link, options);
  const result = await handshake(peer, options);
  const isLegacy = result.era === 'legacy';
  if (isLegacy && options.listen === true) await link.listen?.();
  return {
    handshake: result,
    request: isLegacy || !link.hasStreams ? (method, params, given) => peer.request(method, params, given) : toolRequests(peer),
    notify: (method, params) => peer.notify(method, params),
    isResponsive: (limitMs) => respondsWithin(peer, isLegacy ? 'ping' : 'server/discover', limitMs),
    cancelsDelivered: () => peer.cancelsDelivered(),
    ended: peer.ended,
    close: () => link.close(),
  };
}

async function respondsWithin(peer: Peer, method: string, limitMs: number): Promise<boolean> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), limitMs);
  try {
    await peer.request(method, undefined, { signal: late.signal });
    return true;
  } catch (error) {
    return isRpcError(error);
  } finally {
    clearTimeout(timer);
  }
}
