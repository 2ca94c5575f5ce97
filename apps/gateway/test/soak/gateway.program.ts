/** A program: a gateway that reports its condition to its parent. Its first argument is the manifest; requires `--expose-gc`. */
import { readdirSync, readFileSync } from 'node:fs';
import { loadManifest } from '@holdfast/manifest';
import { sqliteStore } from '@holdfast/store-sqlite';
import { createGateway } from '../../src/index.ts';

/** The condition of the gateway between two calls, after a garbage collection. */
export interface Condition {
  readonly heapBytes: number;
  /** Buffers and other memory outside of the heap. */
  readonly externalBytes: number;
  readonly residentBytes: number;
  /** Open timers, sockets, pipes and other resources, by kind. */
  readonly resources: Readonly<Record<string, number>>;
  /** Processes that it has started. */
  readonly children: readonly string[];
  readonly warnings: readonly string[];
}

const { manifest, problems } = await loadManifest(process.argv[2] ?? '');
if (!manifest) throw new Error(JSON.stringify(problems));
const store = manifest.store !== false && 'path' in manifest.store ? sqliteStore({ path: manifest.store.path }) : undefined;
const warnings: string[] = [];
process.on('warning', (warning) => warnings.push(warning.message));
const gateway = await createGateway(manifest, { log: 'off', store, onFault: () => undefined });
const shell = await gateway.listen({ host: '127.0.0.1', port: 0 });

/** The processes that it has started, each by its state and its command. */
function children(): readonly string[] {
  const own = String(process.pid);
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const [state, parent] = statOf(pid);
      return parent === own ? [`${state} ${commandOf(pid)}`] : [];
    });
}

function statOf(pid: string): readonly (string | undefined)[] {
  return readQuietly(`/proc/${pid}/stat`).split(') ')[1]?.split(' ') ?? [];
}

function commandOf(pid: string): string {
  return readQuietly(`/proc/${pid}/cmdline`).replaceAll('\0', ' ');
}

function readQuietly(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function condition(): Condition {
  globalThis.gc?.();
  globalThis.gc?.();
  const resources: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) resources[kind] = (resources[kind] ?? 0) + 1;
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heapBytes: heapUsed, externalBytes: external, residentBytes: rss, resources, children: children(), warnings };
}

process.on('message', (asked) => {
  if (asked === 'condition') process.send?.(condition());
  else
    void (async () => {
      await gateway.close();
      await store?.close();
      process.disconnect();
    })();
});
process.send?.({ url: `${shell.url}/mcp` });
