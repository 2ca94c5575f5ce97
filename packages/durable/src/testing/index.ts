/** The entry `@holdfast/durable/testing`: a real Restate server for tests, on loopback. Needs `@restatedev/restate-server`. */
export { startRestateServer } from './restate-server.ts';
export type { RestateServer, RestateServerOptions } from './restate-server.ts';
export { startTcpBalancer } from './tcp-balancer.ts';
export type { TcpBalancer } from './tcp-balancer.ts';
