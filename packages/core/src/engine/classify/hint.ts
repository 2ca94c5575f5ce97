/**
 * Owns finding the requested wait in the gathered evidence. Does not own the formats (`retry-after.ts`).
 */
import { withMembers } from './layer.ts';
import type { Layer } from './layer.ts';
import { headersOf } from './headers.ts';
import { isObject } from '../plain/is-object.ts';
import { call, isList, read } from './reading.ts';
import { retryInfoMs } from './retry-info.ts';
import { longest, retryAfterOfFields, retryAfterOfHeaders, retryAfterOfText } from './retry-after.ts';

/** `RetryInfo` in the metadata of gRPC. */
function retryInfoOf(metadata: object): number | undefined {
  const details = call(metadata, 'get', 'grpc-status-details-bin');
  const bytes = isObject(details) && isList(details) ? read(details, 0) : details;
  return ArrayBuffer.isView(bytes) ? retryInfoMs(bytes as Uint8Array) : undefined;
}

/** The requested wait in ms: from headers, else from the client's fields, else from the message. The longest counts. */
export function retryHint(layers: readonly Layer[], nowEpochMs: number, rateLimited: boolean): number | undefined {
  const all = withMembers(layers);
  let asked: number | undefined;
  for (const layer of all) {
    if (layer.carriers.length > 0) asked = longest(asked, retryAfterOfHeaders(headersOf(layer), nowEpochMs, rateLimited));
    if (layer.waits.length > 0) asked = longest(asked, retryAfterOfFields(layer.waits, nowEpochMs));
    if (layer.isGrpc) for (const carrier of layer.carriers) asked = longest(asked, retryInfoOf(carrier));
  }
  if (asked === undefined && rateLimited)
    for (const { texts } of all) for (const text of texts) asked = longest(asked, retryAfterOfText(text));
  return asked;
}
