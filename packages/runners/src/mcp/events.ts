/**
 * Owns the listeners for notifications and the status of a server.
 *
 * Invariants
 * 1. A listener that throws does not affect the others.
 */
import type { JsonObject } from '@holdfast/mcp-wire/client';
import type { McpServerStatus } from './supervisor.ts';

/** A notification of an MCP server that belongs to no request, or a change of its status. */
export type McpServerEvent =
  | { readonly type: 'notification'; readonly method: string; readonly params: JsonObject }
  | { readonly type: 'status'; readonly status: McpServerStatus };

export interface ServerEvents {
  readonly notified: (method: string, params: JsonObject) => void;
  readonly changed: (status: McpServerStatus) => void;
  readonly subscribe: (listener: (event: McpServerEvent) => void) => () => void;
}

export function serverEvents(): ServerEvents {
  const listeners = new Set<(event: McpServerEvent) => void>();
  const emit = (event: McpServerEvent): void => {
    for (const listener of listeners) {
      try {
        listener(event);
      } catch {
        // An error of the listener, not of the server.
      }
    }
  };
  return {
    notified: (method, params) => emit({ type: 'notification', method, params }),
    changed: (status) => emit({ type: 'status', status }),
    subscribe(listener) {
      const subscription = (event: McpServerEvent): void => listener(event);
      listeners.add(subscription);
      return () => listeners.delete(subscription);
    },
  };
}
