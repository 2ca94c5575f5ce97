/** Options of the relay. */
import type { Redactor } from '@holdfast/core';
import type { GatewayEntry } from '@holdfast/manifest';
import type { ConnectedClient, JsonObject } from '@holdfast/mcp-wire/server';
import type { OnUpstreamFault, Upstreams } from '../upstreams/upstream.ts';
import type { Publish } from './changes.ts';
import type { AskForLogin } from '../server-logins/login-prompts.ts';
import type { RelayLimits } from './limits.ts';
import type { ListKind } from './list-kind.ts';
import type { ListedTool } from './server-access.ts';

export interface RelayOptions {
  readonly upstreams: Upstreams;
  /** Notifies of changes of the list of tools, and knows what the lock file withholds. */
  readonly catalog: {
    subscribe(listener: () => void): () => void;
    list?(): readonly ListedTool[];
    ready?(): Promise<void>;
    withholdsInstructions?(server: string, instructions: string): boolean;
    withheldParts?(server: string, kind: ListKind, entries: readonly JsonObject[]): Promise<ReadonlyMap<string, string>>;
    subscribeLock?(listener: () => void): () => void;
  };
  /** Whether there can be clients that must not see what others do. @default false */
  readonly keepsApart?: () => boolean;
  /** Read at each use. */
  readonly settings: () => Pick<GatewayEntry, 'names' | 'inputTimeoutMs'>;
  /** Reads a spilled result. @default there are none */
  readonly readSpilled?: (uri: string, client: ConnectedClient) => Promise<JsonObject | undefined>;
  /** Asks users to log in to servers. @default a missing login is an error */
  readonly prompts?: AskForLogin | undefined;
  /** Sends a notification to all clients. */
  readonly publish: Publish;
  /** @default `createRedactor()` */
  readonly redact?: Redactor;
  /** @default faults are not reported */
  readonly onFault?: OnUpstreamFault;
  /** Version of the gateway for clients. @default '0.1.0' */
  readonly version?: string;
  readonly limits?: Partial<RelayLimits>;
}
