/** The validation rules of providers as pure functions, for property tests and other checkers. */
export { checkRequest, type CheckRequestOptions } from './check-request.ts';
export type { BackendProfile, RequestProblem, WireFormat } from './problem.ts';
