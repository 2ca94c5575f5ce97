/**
 * Owns the single calls of this API, from request to answer.
 *
 * Invariants
 * 1. A call without an `Idempotency-Key` is cancelled when its client disconnects; one with a key continues, for a repeated request.
 * 2. The same key and body run once while the answer is kept; the same key with another body is refused.
 * 3. Never more at the same time than the limit, and never all of one client among several.
 */
import { createHash, randomUUID } from 'node:crypto';
import type { CallPolicy, Redactor, ToolResult } from '@holdfast/core';
import { FairShare } from '@holdfast/mcp-wire/server';
import type { MissingTool } from '../catalog/find-tool.ts';
import { accessOfCaller, admitCalls, unknownAlternative } from './may-act.ts';
import type { ApiLimits, ApiParts, Caller } from './parts.ts';
import { notNow, type Refusal } from './problem.ts';
import type { CallRequest } from './schemas/calls.ts';
import type { KeptAnswers } from './turns/kept-answers.ts';
import { missingResult } from './tools/missing-result.ts';
import { resultText } from './turns/report-text.ts';
import { concealCall } from './turns/conceal-report.ts';
import { draining } from './turns/api-turns.ts';

export interface RunningCallsOptions {
  readonly parts: Pick<ApiParts, 'service' | 'announce' | 'catalog'>;
  readonly redact: Redactor;
  readonly answers: KeptAnswers;
  readonly limits: Pick<ApiLimits, 'runningCalls' | 'answerChars'>;
}

export interface CallEntry {
  readonly request: CallRequest;
  readonly policy: CallPolicy | undefined;
  readonly idempotencyKey: string | undefined;
  readonly caller: Caller;
  /** Why the tool does not exist for the caller. */
  readonly missing: MissingTool | undefined;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

/** The result as JSON text. */
export type CallAnswer = { readonly result: string; readonly refusal?: undefined } | { readonly refusal: Refusal };

interface KeyedCall {
  readonly fingerprint: string;
  readonly result: Promise<string>;
}

export class RunningCalls {
  readonly #options: RunningCallsOptions;
  readonly #running = new Set<AbortController>();
  readonly #share: FairShare;
  readonly #keyed = new Map<string, KeyedCall>();
  #onIdle: (() => void) | undefined;

  constructor(options: RunningCallsOptions) {
    this.#options = options;
    this.#share = new FairShare(options.limits.runningCalls);
  }

  get size(): number {
    return this.#running.size;
  }

  async run(entry: CallEntry, accepting: boolean): Promise<CallAnswer> {
    const { idempotencyKey, caller, request } = entry;
    const { principal = '' } = caller;
    const key = idempotencyKey === undefined ? undefined : `call ${JSON.stringify([principal, idempotencyKey])}`;
    const fingerprint = key === undefined ? '' : createHash('sha256').update(JSON.stringify(request)).digest('hex');
    const known = key === undefined ? undefined : this.#findCall(key);
    if (known) return known.fingerprint === fingerprint ? { result: await known.result } : { refusal: reused };
    const refusal = this.#refusal(accepting, accessOfCaller(caller).owner);
    if (refusal) return { refusal };
    const hidden = entry.policy?.alternatives?.find((name) => !accessOfCaller(caller).allows(name));
    if (hidden !== undefined) return { refusal: unknownAlternative(hidden) };
    const admission = admitCalls(caller, 1);
    if (admission.refusal) return { refusal: admission.refusal };
    const result = this.#execute(entry, key === undefined).finally(admission.release);
    if (key !== undefined) this.#remember(key, accessOfCaller(caller).owner, { fingerprint, result });
    return { result: await result };
  }

  cancelAll(): void {
    for (const controller of this.#running) controller.abort(new DOMException('The gateway is shutting down', 'AbortError'));
  }

  /** Resolves when none is running. */
  idle(): Promise<void> {
    if (this.#running.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onIdle = resolve;
    });
  }

  #refusal(accepting: boolean, owner: string | undefined): Refusal | undefined {
    if (!accepting) return draining;
    const { runningCalls } = this.#options.limits;
    if (this.#share.admits(owner)) return undefined;
    const isFull = this.#running.size >= runningCalls;
    const message = isFull ? `${runningCalls} calls are running, which is the limit` : 'This client has too many calls running';
    return notNow(429, 'TOO_MANY_CALLS', message);
  }

  #findCall(key: string): KeyedCall | undefined {
    const kept = this.#options.answers.get(key);
    return kept ? { fingerprint: kept.fingerprint, result: Promise.resolve(kept.text) } : this.#keyed.get(key);
  }

  #remember(key: string, owner: string | undefined, call: KeyedCall): void {
    const { fingerprint, result } = call;
    this.#keyed.set(key, call);
    const done = (text?: string): void => {
      if (text !== undefined) this.#options.answers.keep(key, owner, { fingerprint, text });
      this.#keyed.delete(key);
    };
    result.then(done, () => done());
  }

  async #execute(entry: CallEntry, bound: boolean): Promise<string> {
    const controller = new AbortController();
    const { signal, caller } = entry;
    const { owner } = accessOfCaller(caller);
    const leave = (): void => controller.abort(signal.reason);
    if (bound) {
      if (signal.aborted) leave();
      else signal.addEventListener('abort', leave, { once: true });
    }
    this.#running.add(controller);
    this.#share.take(owner);
    try {
      return resultText(await this.#call(entry, controller.signal), this.#options.limits.answerChars);
    } finally {
      signal.removeEventListener('abort', leave);
      this.#running.delete(controller);
      this.#share.release(owner);
      if (this.#running.size === 0) this.#onIdle?.();
    }
  }

  async #call({ request, policy, idempotencyKey, caller, missing }: CallEntry, signal: AbortSignal): Promise<ToolResult> {
    const { redact } = this.#options;
    const { service, announce, catalog } = this.#options.parts;
    const { tool_id: tool, arguments: args = {}, call_id: ownId = `call-${randomUUID()}`, timeout_ms: timeoutMs } = request;
    const { allowsAll, owner } = accessOfCaller(caller);
    // The service records a name that a model has made up.
    if (missing !== undefined && !(allowsAll && missing.code === 'UNKNOWN_TOOL')) return missingResult(missing, ownId, redact);
    const callId = owner === undefined ? ownId : `${owner}/${ownId}`;
    // Two clients may choose the same key for different calls.
    const ownKey = request.idempotency_key ?? idempotencyKey;
    const key = owner === undefined || ownKey === undefined ? ownKey : `${owner}/${ownKey}`;
    if (announce) {
      const source = catalog?.get(tool)?.source;
      announce({
        callId,
        toolName: tool,
        server: source?.kind === 'mcp' ? source.server : undefined,
        principal: caller.principal,
        arguments: args,
      });
    }
    const result = await service.executeTool(
      {
        toolName: tool,
        callId,
        arguments: args,
        ...(policy === undefined ? {} : { policy }),
        ...(key === undefined ? {} : { idempotencyKey: key }),
      },
      { signal, ...(timeoutMs === undefined ? {} : { timeoutMs }) },
    );
    return concealCall({ ...result, callId: ownId }, accessOfCaller(caller), service);
  }
}

const reused: Refusal = {
  status: 422,
  error: {
    code: 'IDEMPOTENCY_KEY_REUSED',
    message: 'This Idempotency-Key was used for another call',
    field: 'idempotency-key',
    hint: 'Use a new key for a different call.',
  },
};
