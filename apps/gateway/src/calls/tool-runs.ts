/** Owns the state that runners of servers' tools share with the calls of clients. */
import { createSystem, type Middleware, type System } from '@holdfast/core';
import type { GatewayEntry } from '@holdfast/manifest';
import type { RunUpstream } from '../catalog/upstream-tool.ts';
import { createExchanges, type Exchanges } from './exchange.ts';
import { relayProgress } from './relay-progress.ts';
import { type Suspended, suspendedRequests } from './suspended.ts';
import { type RunnerUpstreams, upstreamRunner } from './upstream-runner.ts';

export interface ToolRuns {
  /** For the catalog: creates the runners of servers' tools. */
  readonly run: RunUpstream;
  /** For the catalog: wrapped around the runners of all other tools. */
  readonly wrap: Middleware;
  readonly exchanges: Exchanges;
  readonly suspended: Suspended;
}

export interface ToolRunsOptions {
  readonly upstreams: RunnerUpstreams;
  /** Read at each use. */
  readonly settings: () => Pick<GatewayEntry, 'inputTimeoutMs'>;
  readonly system?: System;
  /** Whether there can be several clients. @default false */
  readonly keepsApart?: (() => boolean) | undefined;
}

export function createToolRuns({ upstreams, settings, keepsApart, system = createSystem() }: ToolRunsOptions): ToolRuns {
  const exchanges = createExchanges();
  const suspended = suspendedRequests({ system, limitMs: () => settings().inputTimeoutMs });
  return {
    exchanges,
    suspended,
    wrap: relayProgress(exchanges),
    run: upstreamRunner({ upstreams, exchanges, suspended, system, keepsApart }),
  };
}
