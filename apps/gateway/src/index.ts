/** The gateway, as a library: what `holdfast serve` starts. */
export { createGateway } from './gateway.ts';
export type { Gateway, GatewayOptions, ListenOptions } from './gateway.ts';
export type { DashboardOptions } from './dashboard/dashboard.ts';
export type { HttpShell } from './http/options.ts';
export type { UpstreamStatus } from './upstreams/upstream.ts';
export { serve } from './serve.ts';
export type { DashboardInfo, ReadyInfo, ServeOptions } from './serve.ts';
export { surveyServers } from './operation/survey.ts';
export type { SurveyedServer, SurveyOptions } from './operation/survey.ts';
export { compareLocks, lockOf, readLock, writeLock } from './catalog/lock-file.ts';
export type { LockDifference, LockedServers, LockedTool, ToolLock } from './catalog/lock-file.ts';
export { rulesOf as alertRulesOf } from './alerts/rules-of.ts';
