/** The table of contents of `@holdfast/durable`: turns that survive the death of any worker, on Restate. */
export { registerDeployment } from './engine/register-deployment.ts';
export type { RegisterDeploymentOptions, RegisteredDeployment } from './engine/register-deployment.ts';
export { isEngineUnavailable } from './engine/engine-unavailable.ts';
export type { EngineUnavailable } from './engine/engine-unavailable.ts';
