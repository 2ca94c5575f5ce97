/**
 * Owns what is added to the params of a request: the progress token, and in the modern era the identity of the client.
 */
import { metaKeys } from '../era.ts';
import type { JsonObject } from '../message.ts';
import type { ClientRequestOptions } from './connection.ts';

export interface Identity {
  readonly clientInfo: JsonObject;
  readonly clientCapabilities: JsonObject;
}

export function legacyParams(params: JsonObject | undefined, id: number, options: ClientRequestOptions): JsonObject | undefined {
  if (options.onProgress === undefined) return params;
  return { ...params, _meta: { ...(params?.['_meta'] as JsonObject | undefined), progressToken: id } };
}

export function modernParams(
  params: JsonObject | undefined,
  id: number,
  options: ClientRequestOptions,
  version: string,
  identity: Identity,
): JsonObject {
  const meta: Record<string, unknown> = {
    ...(params?.['_meta'] as JsonObject | undefined),
    [metaKeys.protocolVersion]: version,
    [metaKeys.clientInfo]: options.clientInfo ?? identity.clientInfo,
    [metaKeys.clientCapabilities]: options.clientCapabilities ?? identity.clientCapabilities,
  };
  if (options.onProgress !== undefined) meta['progressToken'] = id;
  if (options.logLevel !== undefined) meta[metaKeys.logLevel] = options.logLevel;
  return { ...params, _meta: meta };
}
