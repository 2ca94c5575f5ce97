/**
 * Owns whose circuit a call uses: at an isolated server every client, or every session, has circuits of its own.
 *
 * Invariants
 * 1. Calls have a common circuit only if they have a common connection.
 * 2. Without an owner and a session, a call uses the circuit of the tool.
 */
import { hash } from 'node:crypto';
import type { ToolExecutionService, ToolHealth } from '@holdfast/core';
import type { McpServerEntry } from '@holdfast/manifest';
import type { Catalog } from '../catalog/catalog.ts';
import type { Exchanges } from '../calls/exchange.ts';
import type { Upstreams } from '../upstreams/upstream.ts';
import { type OnBehalf, onBehalfOf, onBehalfOfIds } from './on-behalf.ts';

/** Names whose circuit a call of a tool uses; `undefined`: the tool's own. */
export type PartitionOf = (toolName: string) => string | undefined;

export interface ClientCircuits {
  /** Of a call or a turn, by its id. */
  readonly ofId: (id: string) => PartitionOf | undefined;
  /** Of a call that runs, or has just ended. */
  readonly ofCall: (turnId: string, callId: string) => PartitionOf | undefined;
  /** Of a client; `undefined`: no server is isolated. */
  readonly of: (who: OnBehalf) => PartitionOf | undefined;
}

export interface ClientCircuitsOptions {
  readonly upstreams: Pick<Upstreams, 'all' | 'get'>;
  readonly catalog: Pick<Catalog, 'get'>;
  readonly exchanges: Exchanges;
  /** Whether there can be several clients. @default false */
  readonly keepsApart?: (() => boolean) | undefined;
}

export function createClientCircuits({ upstreams, catalog, exchanges, keepsApart = () => false }: ClientCircuitsOptions): ClientCircuits {
  const of: ClientCircuits['of'] = (who) => {
    if (upstreams.all().every(({ entry }) => entry.isolation === 'shared')) return undefined;
    const names = new Map<McpServerEntry['isolation'], string | undefined>();
    return (toolName) => {
      const source = catalog.get(toolName)?.source;
      const isolation = source?.kind === 'mcp' ? upstreams.get(source.server)?.entry.isolation : undefined;
      if (isolation === undefined) return undefined;
      if (!names.has(isolation)) names.set(isolation, partitionName(isolation, who));
      return names.get(isolation);
    };
  };
  const ofCall: ClientCircuits['ofCall'] = (turnId, callId) => {
    const exchange = exchanges.get(callId);
    return of(exchange === undefined ? onBehalfOfIds(turnId, callId, keepsApart()) : onBehalfOf(exchange.request.client));
  };
  return { of, ofCall, ofId: (id) => ofCall(id, id) };
}

/** As in `connectionKey`. Operators see the name; a session has a short one, which does not show its id. */
function partitionName(isolation: McpServerEntry['isolation'], { owner, session }: OnBehalf): string | undefined {
  if (isolation === 'shared') return undefined;
  if (isolation === 'per_principal' || session === undefined) return owner;
  return `${owner ?? ''}#${hash('sha256', session).slice(0, 16)}`;
}

/** The health of a client's own gate. */
export interface ClientHealth {
  /** The owner, with a mark of the session if each has its own. */
  readonly client: string;
  readonly health: ToolHealth;
}

/** What an operator sees of a tool. */
export interface WholeHealth extends ToolHealth {
  /** Clients whose own circuit is not closed, or has another mode than that of the tool. */
  readonly clients: readonly ClientHealth[];
}

/** Whether calls of the client are refused although the circuit of the tool is closed. */
export const isRefused = ({ health: { circuit, mode } }: ClientHealth): boolean =>
  circuit !== 'closed' && (mode === 'auto' || mode === 'forced_open');

/** The health of a tool, with the calls of all clients. */
export function wholeHealth(service: Pick<ToolExecutionService, 'getToolHealth'>, toolName: string): WholeHealth | undefined {
  const own = service.getToolHealth(toolName);
  if (own?.partitions === undefined) return own && { ...own, clients: [] };
  const all = own.partitions.flatMap((client): readonly ClientHealth[] => {
    const health = service.getToolHealth(toolName, client);
    return health === undefined ? [] : [{ client, health }];
  });
  const sum = (count: 'inFlight' | 'orphaned' | 'queued'): number => all.reduce((total, { health }) => total + health[count], own[count]);
  return {
    ...own,
    inFlight: sum('inFlight'),
    orphaned: sum('orphaned'),
    queued: sum('queued'),
    // What a command for the tool has set is shown for the tool.
    clients: all.filter(({ health }) => health.mode !== own.mode || (own.mode === 'auto' && health.circuit !== 'closed')),
  };
}
