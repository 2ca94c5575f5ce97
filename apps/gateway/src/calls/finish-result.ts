/** Owns the result for the client: converted, checked against the tool's output schema, and truncated if it is too large. */
import type { Redactor, ToolExecutionService, ToolResult } from '@holdfast/core';
import type { GatewayEntry } from '@holdfast/manifest';
import { isJsonObject, type JsonObject } from '@holdfast/mcp-wire/server';
import type { PartitionOf } from '../access/client-circuits.ts';
import type { CatalogEntry } from '../catalog/entry.ts';
import { capResult } from './cap-result.ts';
import { failedResultOf, type FormOptions, formResult } from './form-result.ts';
import { type OutputCheck, outputCheck } from './output-check.ts';
import type { KnownTools } from './read-call.ts';
import { refusal } from './refusal.ts';
import type { SpillStore } from './spill-store.ts';
import { sizeWithin } from './wire-size.ts';

export interface FinishOptions {
  readonly service: Pick<ToolExecutionService, 'getToolHealth'>;
  readonly catalog: Pick<KnownTools, 'get'>;
  readonly store: SpillStore;
  readonly settings: () => Pick<GatewayEntry, 'results'>;
  readonly redact: Redactor;
  readonly redactsSuccesses: boolean;
}

/** `raw` is the answer of the MCP server, if the tool has one. `partitionOf`: whose circuits the call has used. */
export type Finish = (
  result: ToolResult,
  entry: CatalogEntry,
  raw: JsonObject | undefined,
  owner: string | undefined,
  partitionOf?: PartitionOf,
) => JsonObject | Promise<JsonObject>;

export function createFinish({ service, catalog, store, settings, redact, redactsSuccesses }: FinishOptions): Finish {
  const checks = new WeakMap<CatalogEntry, OutputCheck>();
  const checkOf = (entry: CatalogEntry): OutputCheck | undefined => {
    const schema = entry.definition['outputSchema'];
    if (!isJsonObject(schema)) return undefined;
    let check = checks.get(entry);
    if (check === undefined) checks.set(entry, (check = outputCheck(schema)));
    return check;
  };
  const formingFor = (partitionOf: PartitionOf | undefined): FormOptions => ({
    redact,
    redactsSuccesses,
    healthOf: (tool) => service.getToolHealth(tool, partitionOf?.(tool)),
    check: checkOf,
    isFromServer: (tool) => catalog.get(tool)?.source.kind === 'mcp',
  });
  const shared = formingFor(undefined);
  const cap = (formed: JsonObject, check: OutputCheck | undefined, owner: string | undefined): Promise<JsonObject> => {
    const { maxBytes, keepMs } = settings().results;
    return capResult(formed, { maxBytes, keepMs, store: { keep: (kept) => store.keep({ ...kept, owner }) }, check });
  };
  const finishFormed = (formed: JsonObject, entry: CatalogEntry, owner: string | undefined): JsonObject | Promise<JsonObject> => {
    const { maxBytes } = settings().results;
    const size = sizeWithin(formed, maxBytes);
    if (size <= maxBytes) return formed;
    if (size === Infinity)
      return refusal('INVALID_RESPONSE', 'contract', 'permanent', `The answer of ${entry.name} is nested too deeply to be passed on.`);
    return cap(formed, formed['isError'] === true ? undefined : checkOf(entry), owner);
  };
  return (result, entry, raw, owner, partitionOf) => {
    const forming = partitionOf === undefined ? shared : formingFor(partitionOf);
    const { maxBytes } = settings().results;
    const failed = failedResultOf(result);
    const size = failed === undefined ? 0 : sizeWithin(failed, maxBytes);
    // What is kept of a large error is redacted, and not the whole of it.
    if (failed !== undefined && size > maxBytes && size !== Infinity)
      return cap(failed, undefined, owner).then((capped) => finishFormed(formResult(result, entry, capped, forming), entry, owner));
    return finishFormed(formResult(result, entry, raw, forming), entry, owner);
  };
}
