/**
 * Owns what the transports share in the modern era: the metadata of every request and of every result.
 *
 * Invariants
 * 1. A request reaches the handler only if its `_meta` contains version and capabilities, and the version is supported.
 * 2. A result keeps everything the handler has put into it.
 */
import { metaKeys, modernVersions } from '../era.ts';
import { isJsonObject, isRpcError, type JsonObject, rpcCodes, rpcError } from '../message.ts';
import type { RequestRegistry } from './request-registry.ts';
import type { ConnectedClient, ClientRequest } from './handler.ts';
import type { HttpCaller } from './http/http-options.ts';
import { knownCapabilities } from './legacy-client.ts';

/** Methods of the legacy era that the modern era has removed. */
const removedMethods: ReadonlySet<string> = new Set([
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

/** How long a client may cache the result of `server/discover`. */
const discoveryTtlMs = 60_000;

export function metaOf(params: JsonObject): JsonObject | undefined {
  const meta = params['_meta'];
  return isJsonObject(meta) ? meta : undefined;
}

/** Whether a request's `_meta` contains a protocol version, which only modern requests have. */
export const isModern = (params: JsonObject): boolean => metaOf(params)?.[metaKeys.protocolVersion] !== undefined;

/** The `_meta` of a request; its version is checked by `checkVersion()`. */
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
  rpcError(rpcCodes.invalidParams, `Invalid params: ${key} is missing; it is required in every request`);

export function modernClient(
  meta: JsonObject,
  id: string,
  { principal, access }: Pick<HttpCaller, 'principal' | 'access'>,
  transport: 'stdio' | 'http',
): ConnectedClient {
  const info = meta[metaKeys.clientInfo];
  return {
    id,
    era: 'modern',
    protocolVersion: meta[metaKeys.protocolVersion] as string,
    info: isJsonObject(info) ? info : undefined,
    capabilities: meta[metaKeys.clientCapabilities] as JsonObject,
    principal,
    ...(access === undefined ? {} : { access }),
    transport,
  };
}

/** Handles every method except `subscriptions/listen`. */
export async function performModern(registry: RequestRegistry, request: ClientRequest): Promise<JsonObject> {
  const { method, client } = request;
  if (method === 'server/discover') return await discovery(registry, client);
  if (removedMethods.has(method)) throw rpcError(rpcCodes.methodNotFound, `Method not found: ${method}`);
  if (registry.serverInfo === undefined) registry.rememberServerInfo((await registry.handler.describe(client)).serverInfo);
  try {
    return completeResult(registry, method, await registry.handler.handle(request));
  } catch (error) {
    throw modernError(error);
  }
}

async function discovery(registry: RequestRegistry, client: ConnectedClient): Promise<JsonObject> {
  const { capabilities, instructions } = await describeServer(registry, client);
  return completeResult(registry, 'server/discover', {
    supportedVersions: modernVersions,
    capabilities,
    ...(instructions === undefined ? {} : { instructions }),
    ttlMs: discoveryTtlMs,
    cacheScope: 'private',
  });
}

/** The handler's description of itself, in the form of the modern era. */
export async function describeServer(
  registry: RequestRegistry,
  client: ConnectedClient,
): Promise<{ readonly capabilities: JsonObject; readonly instructions: string | undefined }> {
  const { serverInfo, capabilities, instructions } = await registry.handler.describe(client);
  registry.rememberServerInfo(serverInfo);
  const { tasks: _tasks, ...supported } = knownCapabilities(registry, capabilities);
  return { capabilities: supported, instructions };
}

/** Adds the fields every modern result has, unless the handler has set them. */
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

/** Maps the one error code of the legacy era that has changed. */
function modernError(error: unknown): unknown {
  return isRpcError(error) && error.code === rpcCodes.resourceNotFound
    ? rpcError(rpcCodes.invalidParams, error.message, error.data)
    : error;
}
