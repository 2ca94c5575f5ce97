/**
 * Owns one `tools/call` from the client's request to its response. Does not own its rounds (`call-rounds.ts`) or the form of its result (`finish-result.ts`).
 *
 * Invariant: a client has its answer by the call's deadline, or by the time limit of a server's question.
 */
import { createRedactor, createSystem, type RedactorOptions, type System, type ToolExecutionService } from '@holdfast/core';
import type { GatewayEntry } from '@holdfast/manifest';
import { type ClientRequest, isJsonObject, type JsonObject } from '@holdfast/mcp-wire/server';
import { randomUUID } from 'node:crypto';
import type { Tracing } from '../composition/tracing.ts';
import type { Announce } from '../operation/announcement.ts';
import { missingText } from '../catalog/find-tool.ts';
import { CallRounds } from './call-rounds.ts';
import type { Calls } from './calls.ts';
import { accessOf } from '../access/access.ts';
import type { ClientCircuits } from '../access/client-circuits.ts';
import { admitCall } from '../access/call-limiter.ts';
import { createFinish } from './finish-result.ts';
import { isRefusedInput } from './input-rounds.ts';
import { LoginNeeded } from './login-needed.ts';
import { ProgressRelay } from './progress.ts';
import { findCalled, type KnownTools, neverListed, readCall } from './read-call.ts';
import { readSpilled } from './read-spilled.ts';
import { limited, refusal } from './refusal.ts';
import type { AskForLogin } from '../server-logins/login-prompts.ts';
import { SpillStore } from './spill-store.ts';
import type { ToolRuns } from './tool-runs.ts';

export interface CallsOptions {
  /** Runs the tools of the catalog. */
  readonly service: Pick<ToolExecutionService, 'executeTool' | 'getToolHealth' | 'getToolSettings'>;
  readonly catalog: KnownTools;
  /** Whose circuits calls use. @default those of the tools */
  readonly circuits?: Pick<ClientCircuits, 'of'> | undefined;
  /** Shared with the catalog, which makes the runners. */
  readonly runs: ToolRuns;
  /** Read at each use. */
  readonly settings: () => Pick<GatewayEntry, 'results' | 'heartbeatMs' | 'inputTimeoutMs'>;
  /** Secrets besides those that are recognised. */
  readonly redact?: RedactorOptions | undefined;
  /** Whether secrets in successful results are redacted too. @default false */
  readonly redactsSuccesses?: boolean;
  readonly announce?: Announce | undefined;
  /** Asks users to log in to servers. @default a missing login is an error */
  readonly prompts?: Pick<AskForLogin, 'around'> | undefined;
  /** Runs a call as a part of the trace that its request names. @default it is not */
  readonly enterTrace?: Tracing['enter'] | undefined;
  /** The folder for large results. @default a new temporary folder */
  readonly resultsFolder?: string | undefined;
  readonly system?: System;
}

export function createCalls(options: CallsOptions): Calls {
  const { service, catalog, runs, settings, announce, enterTrace, prompts, redactsSuccesses = false, system = createSystem() } = options;
  const redact = createRedactor({ ...options.redact, maxChars: Infinity });
  const store = new SpillStore({ settings: () => settings().results, folder: options.resultsFolder, system });
  const finish = createFinish({ service, catalog, store, settings, redact, redactsSuccesses });
  const rounds = new CallRounds({ service, catalog, runs, settings, announce, system, finish, circuits: options.circuits });

  const call = async (request: ClientRequest): Promise<JsonObject> => {
    const { name, args } = readCall(request.params);
    const { allows, limiters } = accessOf(request.client);
    const entry = (allows(name) ? catalog.get(name) : undefined) ?? (await findCalled(name, catalog, allows));
    if ('code' in entry) {
      const result = neverListed(entry.code, redact(missingText(entry)));
      if (entry.login !== undefined) throw new LoginNeeded(entry.login, result);
      return result;
    }
    const admission = limiters.length === 0 ? undefined : admitCall(limiters);
    if (admission?.refusal !== undefined) return limited(admission.refusal);
    if (admission === undefined && !request.wantsProgress) return rounds.converse(request, entry, args, undefined);
    const progress = request.wantsProgress ? new ProgressRelay({ request, system, heartbeatMs: settings().heartbeatMs }) : undefined;
    try {
      return await rounds.converse(request, entry, args, progress);
    } finally {
      progress?.close();
      admission?.release();
    }
  };

  return {
    async handle(given) {
      const run = (request: ClientRequest): Promise<JsonObject> => inTraceOf(request, enterTrace, () => call(request));
      try {
        return await (prompts === undefined ? run(given) : prompts.around(given, run));
      } catch (error) {
        if (isRefusedInput(error)) return refusal('INPUT_REFUSED', 'cancelled', 'neutral', redact(error.message));
        if (error instanceof LoginNeeded) return error.result;
        throw error;
      }
    },
    readSpilled: (uri, owner) => readSpilled(store, uri, owner, redact),
    status: () => ({ running: runs.exchanges.size, suspended: runs.suspended.size, spilledBytes: store.bytes }),
    async close() {
      runs.suspended.close();
      await store.close();
    },
  };
}

/** The calls of one connection are one conversation. A client of the modern era has no connection. */
const conversations = new WeakMap<object, string>();

function inTraceOf<Result>({ params, client }: ClientRequest, enterTrace: Tracing['enter'] | undefined, work: () => Result): Result {
  if (enterTrace === undefined) return work();
  const meta = params['_meta'];
  let conversation = client.era === 'legacy' ? conversations.get(client) : undefined;
  if (client.era === 'legacy' && conversation === undefined) conversations.set(client, (conversation = randomUUID()));
  return enterTrace(isJsonObject(meta) ? meta : {}, work, conversation);
}
