/** The gateway, as a library: what `holdfast serve` starts. */
export { createGateway } from './gateway.ts';
export type { Gateway, GatewayOptions, ListenOptions } from './gateway.ts';
export { serve } from './serve.ts';
export type { ReadyInfo, ServeOptions } from './serve.ts';
