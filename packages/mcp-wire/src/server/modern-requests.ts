/**
 * Owns what is the front's own in the modern era, whatever the transport: what every request says of itself, and what every result says.
 *
 * Invariants
 * 1. A request reaches the face only when its `_meta` says version and capabilities, and the version is spoken here.
 * 2. A result keeps everything that the face has put into it.
 */
import { metaKeys, modernVersions } from '../era.ts';
import { isJsonObject, isRpcError, type JsonObject, rpcCodes, rpcError } from '../message.ts';
import type { RequestRegistry } from './request-registry.ts';
import type { FaceClient, FaceRequest } from './handler.ts';
import { knownCapabilities } from './legacy-client.ts';

/** Methods of the legacy era that no request of the modern era has. */
const goneMethods: ReadonlySet<string> = new Set([
  'initialize',
  'ping',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
]);

const cacheable: ReadonlySet<string> = new Set([
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
]);

/** How long a client may keep what `server/discover` says. */
const discoveryTtlMs = 60_000;

export function metaOf(params: JsonObject): JsonObject | undefined {
  const meta = params['_meta'];
  return isJsonObject(meta) ? meta : undefined;
}

/** Whether a request says of itself that it is modern. */
export const isModern = (params: JsonObject): boolean => metaOf(params)?.[metaKeys.protocolVersion] !== undefined;

/** The `_meta` of a request, its version not yet compared with those spoken here. */
export function requireMeta(params: JsonObject): JsonObject {
  const meta = metaOf(params);
  if (meta === undefined) throw missingField('_meta');
  if (typeof meta[metaKeys.protocolVersion] !== 'string') throw missingField(metaKeys.protocolVersion);
  if (!isJsonObject(meta[metaKeys.clientCapabilities])) throw missingField(metaKeys.clientCapabilities);
  return meta;
}

export function checkVersion(meta: JsonObject): void {
  const requested = meta[metaKeys.protocolVersion] as string;
  if (!modernVersions.includes(requested))
    throw rpcError(rpcCodes.unsupportedProtocolVersion, 'Unsupported protocol version', { supported: modernVersions, requested });
}

const missingField = (key: string): Error =>
  rpcError(rpcCodes.invalidParams, `Invalid params: ${key} is missing; every request carries it`);

export function modernClient(meta: JsonObject, id: string, principal: string | undefined, transport: 'stdio' | 'http'): FaceClient {
  const info = meta[metaKeys.clientInfo];
  return {
    id,
    era: 'modern',
    protocolVersion: meta[metaKeys.protocolVersion] as string,
    info: isJsonObject(info) ? info : undefined,
    capabilities: meta[metaKeys.clientCapabilities] as JsonObject,
    principal,
    transport,
  };
}

/** Every method but `subscriptions/listen`. */
export async function performModern(desk: RequestRegistry, request: FaceRequest): Promise<JsonObject> {
  const { method, client } = request;
  if (method === 'server/discover') return await discovery(desk, client);
  if (goneMethods.has(method)) throw rpcError(rpcCodes.methodNotFound, `Method not found: ${method}`);
  if (desk.serverInfo === undefined) desk.rememberServerInfo((await desk.face.describe(client)).serverInfo);
  try {
    return completeResult(desk, method, await desk.face.handle(request));
  } catch (error) {
    throw modernError(error);
  }
}

async function discovery(desk: RequestRegistry, client: FaceClient): Promise<JsonObject> {
  const { capabilities, instructions } = await describeServer(desk, client);
  return completeResult(desk, 'server/discover', {
    supportedVersions: modernVersions,
    capabilities,
    ...(instructions === undefined ? {} : { instructions }),
    ttlMs: discoveryTtlMs,
    cacheScope: 'private',
  });
}

/** What the face says of itself, in the words of the modern era. */
export async function describeServer(
  desk: RequestRegistry,
  client: FaceClient,
): Promise<{ readonly capabilities: JsonObject; readonly instructions: string | undefined }> {
  const { serverInfo, capabilities, instructions } = await desk.face.describe(client);
  desk.rememberServerInfo(serverInfo);
  const { tasks: _tasks, ...spoken } = knownCapabilities(desk, capabilities);
  return { capabilities: spoken, instructions };
}

/** Adds what every modern result says, where the face has not said it. */
export function completeResult({ serverInfo }: RequestRegistry, method: string, result: JsonObject): JsonObject {
  const resultType = result['resultType'] ?? 'complete';
  const meta = metaOf(result);
  return {
    ...result,
    resultType,
    ...(cacheable.has(method) && resultType === 'complete'
      ? { ttlMs: result['ttlMs'] ?? 0, cacheScope: result['cacheScope'] ?? 'private' }
      : {}),
    ...(serverInfo === undefined || meta?.[metaKeys.serverInfo] !== undefined
      ? {}
      : { _meta: { ...meta, [metaKeys.serverInfo]: serverInfo } }),
  };
}

/** One code of the legacy era has another name now. */
function modernError(error: unknown): unknown {
  return isRpcError(error) && error.code === rpcCodes.resourceNotFound
    ? rpcError(rpcCodes.invalidParams, error.message, error.data)
    : error;
}
