/**
 * Owns a Restate server for tests: the real program from npm on free loopback ports and a temporary folder, one node or a cluster.
 */
import { checkOptions, count, period } from '@holdfast/core/internal/plain';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freeLoopbackPorts, LOOPBACK } from './loopback-ports.ts';
import type { NodePorts } from './restate-config.ts';
import { RestateNode } from './restate-node.ts';

/** Settings of a Restate server for tests. */
export interface RestateServerOptions {
  /** How many nodes. Three replicate everything and survive the loss of one. @default 1 */
  readonly nodes?: number;
  /** Folder of its data. `stop` keeps it, unlike the temporary folder. @default a temporary folder */
  readonly folder?: string;
  /** Number of partitions for the turns. @default 4 */
  readonly partitions?: number;
  /** How many turns share one connection to a worker. With few, a load balancer spreads them better. @default 128 */
  readonly streamsPerConnection?: number;
  /** A worker that hangs counts as lost after twice this time. @default 20000 */
  readonly keepAliveMs?: number;
}

/** A running Restate server for tests: one node or a cluster. */
export interface RestateServer {
  /** Ingress address of the first node. */
  readonly ingressUrl: string;
  /** Admin address of the first node. */
  readonly adminUrl: string;
  /** Ingress address of each node. */
  readonly ingressUrls: readonly string[];
  /** Admin address of each node. */
  readonly adminUrls: readonly string[];
  /** Process ids of the running nodes. */
  readonly pids: readonly number[];
  /** Kills it like a lost machine (SIGKILL). One node of a cluster, or all. */
  kill(node?: number): Promise<void>;
  /** Restarts it on the same data and the same ports. One node of a cluster, or all that have ended. */
  restart(node?: number): Promise<void>;
  /** Ends it and removes its temporary folder. A second call does nothing. */
  stop(): Promise<void>;
}

const portsOf = (ports: readonly number[], node: number): NodePorts => {
  const [first = 0, ingress = 0, admin = 0] = ports.slice(node * 3, node * 3 + 3);
  return { node: first, ingress, admin };
};

const createNodes = async (folder: string, options: RestateServerOptions): Promise<readonly RestateNode[]> => {
  const count = options.nodes ?? 1;
  const ports = await freeLoopbackPorts(count * 3);
  const places = Array.from({ length: count }, (_, node) => portsOf(ports, node));
  return places.map((place, index) => {
    const name = `node-${index + 1}`;
    const clusterAddresses = places.map(({ node }) => `http://${LOOPBACK}:${node}/`);
    return new RestateNode({
      name,
      cluster: 'holdfast-test',
      folder: join(folder, name),
      ports: place,
      clusterAddresses,
      first: index === 0,
      partitions: options.partitions ?? 4,
      streamsPerConnection: options.streamsPerConnection ?? 128,
      keepAliveMs: options.keepAliveMs ?? 20_000,
    });
  });
};

const begin = async (nodes: readonly RestateNode[]): Promise<void> => {
  for (const node of nodes) if (node.ended) node.begin();
  await Promise.all(nodes.map((node) => node.ready()));
};

/** Another program may take a port between the check and the start; then it starts with other ports. */
const beginOnFreePorts = async (folder: string, options: RestateServerOptions, attempts: number): Promise<readonly RestateNode[]> => {
  const nodes = await createNodes(folder, options);
  try {
    await begin(nodes);
    return nodes;
  } catch (error) {
    const lost = nodes.some((node) => node.ended);
    await Promise.all(nodes.map((node) => node.end('SIGKILL')));
    if (!lost || attempts <= 1) throw error;
    return beginOnFreePorts(folder, options, attempts - 1);
  }
};

/** Starts a real Restate server on loopback. Resolves when it answers. It sends no telemetry, and ends with this process unless that is killed. */
export const startRestateServer = async (options: RestateServerOptions = {}): Promise<RestateServer> => {
  checkOptions(
    { nodes: count, folder: 'string', partitions: count, streamsPerConnection: count, keepAliveMs: period },
    options,
    'startRestateServer',
  );
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'holdfast-restate-')));
  const nodes = await beginOnFreePorts(folder, options, 3);
  const chooseNodes = (node: number | undefined): readonly RestateNode[] => (node === undefined ? nodes : nodes.slice(node, node + 1));
  const urls = { ingressUrls: nodes.map(({ ingressUrl }) => ingressUrl), adminUrls: nodes.map(({ adminUrl }) => adminUrl) };
  return {
    ...urls,
    ingressUrl: urls.ingressUrls[0] ?? '',
    adminUrl: urls.adminUrls[0] ?? '',
    get pids() {
      return nodes.flatMap(({ pid }) => (pid === undefined ? [] : [pid]));
    },
    kill: async (node) => {
      await Promise.all(chooseNodes(node).map((each) => each.end('SIGKILL')));
    },
    restart: (node) => begin(chooseNodes(node)),
    stop: async () => {
      // Its data is not needed any more: a clean shutdown would only take longer.
      await Promise.all(nodes.map((node) => node.end('SIGKILL')));
      if (options.folder === undefined) await rm(folder, { recursive: true, force: true });
    },
  };
};
