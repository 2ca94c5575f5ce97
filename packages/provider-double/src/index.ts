/** A test double of LLM providers. */
export { checkRequest, type BackendProfile, type CheckRequestOptions, type RequestProblem, type WireFormat } from './rules/index.ts';
