/** What providers accept, as functions: pure, for property tests and other judges. */
export { checkRequest, type CheckRequestOptions } from './check-request.ts';
export type { BackendProfile, RequestProblem, WireFormat } from './problem.ts';
