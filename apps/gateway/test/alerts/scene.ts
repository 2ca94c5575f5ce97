/** Owns alerting over a service with a failing tool, and a fake receiver instead of the network. */
import { createRedactor, defineTool, type System, ToolExecutionService } from '@holdfast/core';
import { createMetrics } from '@holdfast/core/metrics';
import { type ManualSystem, manualSystem } from '@holdfast/core/testing';
import { type AlertsEntry, parseManifest } from '@holdfast/manifest';
import { type SyncAlertRecords, sqliteHistory } from '@holdfast/store-sqlite/history';
import { createAlerts } from '../../src/alerts/create-alerts.ts';
import type { Alerts } from '../../src/alerts/alerts.ts';

interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface SceneOptions {
  /** As in a manifest. */
  readonly alerts?: Readonly<Record<string, unknown>>;
  readonly records?: SyncAlertRecords;
  readonly system?: ManualSystem;
  readonly environment?: Readonly<Record<string, string>>;
  /** Whether a process is running. */
  readonly isAlive?: (pid: number) => boolean;
  /** What the receiver answers. @default 200 */
  readonly answer?: (post: Post) => Response | Promise<Response>;
}

export interface Scene {
  readonly alerts: Alerts;
  readonly service: ToolExecutionService;
  readonly system: ManualSystem;
  readonly records: SyncAlertRecords;
  readonly posts: Post[];
  readonly faults: string[];
  /** For the list of changes. */
  readonly notes: { readonly text: string }[];
  /** Sets what the tool `a` does from now on. */
  readonly set: (state: 'works' | 'fails' | 'rejects') => void;
  /** Calls it `times` times. */
  readonly call: (times?: number) => Promise<void>;
  readonly entry: (alerts: Readonly<Record<string, unknown>>) => AlertsEntry;
}

function entryOf(alerts: Readonly<Record<string, unknown>>): AlertsEntry {
  const words = { tools: [{ id: 'a', run: { module: './a.mjs' } }], alerts };
  const { manifest, problems } = parseManifest(JSON.stringify(words));
  if (!manifest) throw new Error(JSON.stringify(problems));
  return manifest.alerts;
}

export const hook = { name: 'hook', kind: 'webhook', url: 'http://127.0.0.1:9/hook' } as const;

/** Time is manual, for the service and for alerting. */
export function createScene(options: SceneOptions = {}): Scene {
  const { alerts: words = { receivers: [hook] }, records = sqliteHistory({ path: ':memory:' }).alerts, environment = {} } = options;
  const { system = manualSystem(), answer = () => new Response('ok') } = options;
  const posts: Post[] = [];
  const faults: string[] = [];
  const notes: { readonly text: string }[] = [];
  let state: 'works' | 'fails' | 'rejects' = 'fails';
  const tool = defineTool({
    name: 'a',
    retry: { maxAttempts: 1 },
    breaker: { failureThreshold: 3, openMs: 30_000 },
    run: async () => {
      if (state === 'fails') throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
      if (state === 'rejects') throw Object.assign(new Error('the key has expired'), { status: 401 });
      return 'fine';
    },
  });
  const service = new ToolExecutionService({ tools: [tool], system: system as System });
  const metrics = createMetrics({ tools: ['a'] });
  service.subscribe((event) => metrics.observe(event));
  const alerts = createAlerts({
    entry: entryOf(words),
    service,
    metrics,
    records,
    address: () => 'http://127.0.0.1:7340',
    note: (change) => notes.push(change),
    redact: createRedactor({ secrets: ['s3cr3t-value'] }),
    onFault: (text) => faults.push(text),
    environment,
    system,
    isAlive: options.isAlive,
    send: async (request) => {
      posts.push(request);
      return answer(request);
    },
  });
  alerts.start();
  return {
    alerts,
    service,
    system,
    records,
    posts,
    notes,
    faults,
    set: (next) => {
      state = next;
    },
    async call(times = 1) {
      for (let time = 0; time < times; time += 1) await system.until(service.executeTool({ toolName: 'a', arguments: {} }));
      await system.settle();
    },
    entry: entryOf,
  };
}
