/**
 * Owns the handshake: agreeing with a server on an era and a version, over one link.
 */
import { type Era, legacyVersions, metaKeys, modernVersions } from '../era.ts';
import { type JsonObject, isJsonObject, isRpcError, rpcCodes } from '../message.ts';
import type { ConnectOptions, ServerHandshake } from './connection.ts';
import type { Peer } from './peer.ts';
import { type WireError, wireError } from './wire-error.ts';

/** Servers of the legacy era may not answer a request of the modern era at all. */
const modernProbeMs = 5_000;

/** @throws the refusal of the legacy era, or of the first one, when the server refuses all of them */
export async function handshake(peer: Peer, options: ConnectOptions): Promise<ServerHandshake> {
  let refusal: unknown;
  for (const [index, era] of options.eras.entries()) {
    if (refusal !== undefined && peer.hasEnded) break;
    const isProbe = era === 'modern' && index < options.eras.length - 1;
    const limited = isProbe ? { ...options, timeoutMs: Math.min(options.timeoutMs, modernProbeMs) } : options;
    try {
      return await withTimeout(limited, (signal) => (era === 'legacy' ? initialize(peer, options, signal) : discover(peer, signal)));
    } catch (error) {
      if (era === 'legacy' || refusal === undefined) refusal = error;
      if (!(isProbe ? mayBeLegacy(error) : isRefusal(error)) || options.signal?.aborted === true) break;
    }
  }
  throw refusal;
}

/** Whether a server that did not accept the modern era may speak the legacy era: it has answered, or its time was over. */
function mayBeLegacy(error: unknown): boolean {
  const { code, status } = error as Partial<WireError>;
  if (code === 'HTTP_STATUS') return status !== 401 && status !== 403 && status !== 429;
  return isRefusal(error) || code === 'INVALID_ANSWER' || code === 'ANSWER_LOST' || code === 'HANDSHAKE_TIMEOUT';
}

/** Whether a failed handshake means that the server is alive but does not support this era. */
export function isRefusal(error: unknown): boolean {
  if (isRpcError(error)) return true;
  const { code, status } = error as Partial<WireError>;
  return code === 'UNSUPPORTED_VERSION' || (code === 'HTTP_STATUS' && (status === 400 || status === 404 || status === 405));
}

async function initialize(peer: Peer, { clientInfo, clientCapabilities }: ConnectOptions, signal: AbortSignal): Promise<ServerHandshake> {
  peer.setVersion('legacy', undefined);
  const params = { protocolVersion: legacyVersions[0], capabilities: clientCapabilities, clientInfo };
  const result = await peer.request('initialize', params, { signal });
  const version = result['protocolVersion'];
  if (typeof version !== 'string' || !legacyVersions.includes(version)) throw unsupportedVersion(version);
  peer.setVersion('legacy', version);
  await peer.notify('notifications/initialized');
  return handshakeOf('legacy', version, result, result['serverInfo']);
}

async function discover(peer: Peer, signal: AbortSignal): Promise<ServerHandshake> {
  peer.setVersion('modern', modernVersions[0]);
  const result = await peer.request('server/discover', undefined, { signal }).catch((error: unknown) => {
    const offered = isRpcError(error) && error.code === rpcCodes.unsupportedProtocolVersion ? offeredVersion(error.data) : undefined;
    if (offered === undefined) throw error;
    peer.setVersion('modern', offered);
    return peer.request('server/discover', undefined, { signal });
  });
  const supported: readonly unknown[] = Array.isArray(result['supportedVersions']) ? result['supportedVersions'] : [];
  const version = modernVersions.find((each) => supported.includes(each));
  if (version === undefined) throw unsupportedVersion(supported.join(', '));
  peer.setVersion('modern', version);
  const meta = result['_meta'];
  return handshakeOf('modern', version, result, (isJsonObject(meta) ? meta[metaKeys.serverInfo] : undefined) ?? result['serverInfo']);
}

/** Returns a version that the server offers instead. */
function offeredVersion(data: unknown): string | undefined {
  const offered = isJsonObject(data) ? data['supported'] : undefined;
  return Array.isArray(offered) ? modernVersions.find((each) => offered.includes(each)) : undefined;
}

function handshakeOf(era: Era, protocolVersion: string, result: JsonObject, serverInfo: unknown): ServerHandshake {
  const { capabilities, instructions } = result;
  return {
    era,
    protocolVersion,
    serverInfo: isJsonObject(serverInfo) ? serverInfo : {},
    capabilities: isJsonObject(capabilities) ? capabilities : {},
    ...(typeof instructions === 'string' ? { instructions } : {}),
  };
}

const unsupportedVersion = (offered: unknown): WireError =>
  wireError('UNSUPPORTED_VERSION', `The server's protocol version is not supported: ${String(offered)}`);

/** Settles at the latest at the timeout or with the signal, even if the work hangs. */
function withTimeout(
  { timeoutMs, signal }: ConnectOptions,
  work: (signal: AbortSignal) => Promise<ServerHandshake>,
): Promise<ServerHandshake> {
  const controller = new AbortController();
  const stop = (): void => controller.abort(signal?.reason);
  const onTimeout = (): void => controller.abort(wireError('HANDSHAKE_TIMEOUT', `no answer to the handshake within ${timeoutMs} ms`));
  const timer = setTimeout(onTimeout, timeoutMs);
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted === true) stop();
  const stopped = new Promise<never>((_resolve, reject) => {
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason as Error), { once: true });
  });
  return Promise.race([work(controller.signal), stopped]).finally(() => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  });
}
