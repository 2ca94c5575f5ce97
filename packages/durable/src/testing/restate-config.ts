/**
 * Owns the configuration of a test's Restate node: loopback only, no telemetry, little memory.
 */
import { LOOPBACK } from './loopback-ports.ts';

export interface NodePorts {
  readonly node: number;
  readonly ingress: number;
  readonly admin: number;
}

export interface NodeConfig {
  readonly name: string;
  readonly cluster: string;
  readonly folder: string;
  readonly ports: NodePorts;
  /** The node-to-node addresses of all nodes, including this one. */
  readonly clusterAddresses: readonly string[];
  readonly first: boolean;
  readonly partitions: number;
  readonly streamsPerConnection: number;
  readonly keepAliveMs: number;
}

const quote = (text: string): string => JSON.stringify(text);

export const restateConfig = (config: NodeConfig): string => {
  const { ports, clusterAddresses: addresses } = config;
  const nodes = addresses.length;
  return `
node-name = ${quote(config.name)}
cluster-name = ${quote(config.cluster)}
auto-provision = ${config.first}
base-dir = ${quote(config.folder)}
listen-mode = "tcp"
bind-ip = "${LOOPBACK}"
bind-port = ${ports.node}
advertised-host = "${LOOPBACK}"
advertised-address = "http://${LOOPBACK}:${ports.node}/"
disable-telemetry = true
default-num-partitions = ${config.partitions}
default-replication = ${nodes > 2 ? 2 : 1}
rocksdb-total-memory-size = "256 MiB"
log-filter = "warn,octocrab=off"
log-format = "json"
shutdown-timeout = "5s"
gossip-suspect-interval = "1s"

[metadata-client]
addresses = [${addresses.map(quote).join(', ')}]

[ingress]
bind-ip = "${LOOPBACK}"
bind-port = ${ports.ingress}
advertised-address = "http://${LOOPBACK}:${ports.ingress}/"

[admin]
bind-ip = "${LOOPBACK}"
bind-port = ${ports.admin}
advertised-address = "http://${LOOPBACK}:${ports.admin}/"
disable-web-ui = true

[admin.query-engine]
memory-size = "128 MiB"

[worker.invoker]
http2-streams-per-connection-limit = ${config.streamsPerConnection}
http2-keep-alive-interval = "${config.keepAliveMs}ms"
http2-keep-alive-timeout = "${config.keepAliveMs}ms"

[bifrost]
record-cache-memory-size = "32 MiB"
`;
};
