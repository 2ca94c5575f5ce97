/** Log and audit of the gateway: a log line for each call, and the audit file. */
export { createOperation } from './operation.ts';
export type { Operation, OperationOptions } from './operation.ts';
