/** The table of contents of `@holdfast/durable`: turns that survive the death of any worker, on Restate. */
export { createTurnClient } from './client/turn-client.ts';
export type { DurableTurnState, SubmitOptions, SubmittedTurn, TurnClient, TurnClientOptions, WaitOptions } from './client/turn-client.ts';
export type { PausedTurn } from './client/admin.ts';
export type { TurnError, TurnErrorCode } from './client/turn-error.ts';
export { isEngineUnavailable } from './engine/engine-unavailable.ts';
export type { EngineTrouble, EngineUnavailable } from './engine/engine-unavailable.ts';
export { registerDeployment } from './engine/register-deployment.ts';
export type { RegisterDeploymentOptions, RegisteredDeployment } from './engine/register-deployment.ts';
export { createRestateJournal } from './turns/restate-journal.ts';
export { createTurnService } from './turns/turn-service.ts';
export type { RestateService } from './turns/turn-service.ts';
export type { TurnServiceOptions } from './turns/turn-service-options.ts';
export type { DurableTurnResult } from './turns/turn-record.ts';
export { createTurnEndpoint } from './worker/turn-endpoint.ts';
export type { TurnEndpoint, TurnEndpointOptions } from './worker/turn-endpoint.ts';
export { createTurnWorker } from './worker/turn-worker.ts';
export type { ListenAddress, TurnWorker, TurnWorkerOptions, WorkerRegistration } from './worker/turn-worker.ts';
export type { WorkerLog, WorkerLogEntry } from './worker/worker-log.ts';
