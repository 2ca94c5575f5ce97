/**
 * Owns the interface through which a tool is run: `Runner`, what it receives, and how middleware wraps it (`Middleware`, `compose`).
 * Does not own timeouts, retries or admission: the call machine decides those and runs a Runner once per attempt.
 *
 * Invariants
 * 1. A Runner is called once per attempt and may return, resolve, throw or reject with anything, or never settle.
 * 2. `compose(a, b)(run)` is `a(b(run))`: the first middleware is the outermost.
 */
import type { Signal } from '../ports/signal.ts';
import { checkRule } from '../settings/check.ts';

/** Where the work of a tool happens; decides what "terminated" means at the time limit. */
export type RunnerKind = 'in_process' | 'worker' | 'process' | 'http' | 'mcp';

/** Progress as the tool reports it. */
export interface Progress {
  /** How far the work has progressed, in any unit. */
  readonly progress?: number;
  /** The value of `progress` at which the work is complete. */
  readonly total?: number;
  /** What the tool is doing; cut to 500 characters. */
  readonly message?: string;
}

/** What a tool can use during one attempt. Stable: later versions only add. */
export interface AttemptContext {
  /** Name of the tool that runs. */
  readonly toolName: string;
  /** Id of the call as the caller gave it. */
  readonly callId: string;
  /** Id of the turn; a single call or a batch has a turn id too. */
  readonly turnId: string;
  /** 1 for the first attempt of the call; counts retries and alternatives too. */
  readonly attempt: number;
  /** The same for every attempt of a call, so that a service can recognise a repeated request. */
  readonly idempotencyKey: string;
  /** The attempt ends after this many milliseconds, whether the tool reacts to `signal` or not. */
  readonly timeoutMs: number;
  /** Aborted at the time limit, when the caller cancels, and when the turn ends with `on_deadline: abort`. Created when first read. */
  readonly signal: Signal;
  /** Reports progress; shown live and kept in the trace. */
  readonly reportProgress: (progress: Progress) => void;
  /** Reports the output so far. With `acceptPartial`, a timeout delivers the latest one instead of failing. */
  readonly reportPartial: (output: unknown) => void;
}

/** Runs a tool once: a plain function, a worker, a process, an HTTP request or an MCP call. */
export interface Runner<Arguments = never, Output = unknown> {
  /** Makes one attempt. It may return, resolve, throw or reject with anything; an attempt that never settles ends at its time limit. */
  (args: Arguments, context: AttemptContext): Output | PromiseLike<Output>;
  /** @default 'in_process' */
  readonly kind?: RunnerKind;
  /** Ends everything the runner holds open (processes, sockets). Called once by `close()` of the service. */
  readonly close?: () => void | PromiseLike<void>;
}

/** Wraps a runner in one concern, such as a span, a cache or a header. */
export type Middleware = (next: Runner<unknown>) => Runner<unknown>;

/** `compose(a, b)(run)` is `a(b(run))`: the first middleware is the outermost. The runner's `kind` and `close` are kept. */
export function compose(...middleware: readonly Middleware[]): Middleware {
  for (const [index, wrap] of middleware.entries()) checkRule('function', wrap, `compose: argument ${index + 1}`);
  return (run) => {
    const wrapped = middleware.reduceRight((next, wrap, index) => {
      const outer = wrap(next);
      checkRule('function', outer, `middleware[${index}]()`);
      return outer;
    }, run);
    if (wrapped === run) return run;
    const outermost: Runner<unknown> = (args, context) => wrapped(args, context);
    return Object.assign(outermost, { kind: run.kind ?? 'in_process', ...(run.close ? { close: run.close } : {}) });
  };
}
