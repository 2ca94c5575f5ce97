/** The gateway as a library: `holdfast serve` starts it. */
export { createGateway } from './gateway.ts';
export type { Gateway, GatewayOptions, ListenOptions } from './gateway.ts';
export type { DashboardOptions } from './dashboard/dashboard.ts';
export type { HttpShell } from './http/options.ts';
export type { UpstreamStatus } from './upstreams/upstream.ts';
export { serve } from './serve.ts';
export type { DashboardInfo, ReadyInfo, ServeOptions } from './serve.ts';
export { createWorker } from './worker/worker.ts';
export type { Worker, WorkerOptions } from './worker/worker.ts';
export { work } from './worker/work.ts';
export type { WorkerInfo, WorkOptions } from './worker/work.ts';
export { surveyEngine } from './engine/survey.ts';
export type { EngineStatus } from './engine/survey.ts';
export { surveyServers } from './operation/survey.ts';
export type { SurveyedServer, SurveyOptions } from './operation/survey.ts';
export { compareLocks, lockOf, readLock, writeLock } from './catalog/lock-file.ts';
export type { LockDifference, LockedServers, LockedTool, ToolLock } from './catalog/lock-file.ts';
export { rulesOf as alertRulesOf } from './alerts/read-rules.ts';
