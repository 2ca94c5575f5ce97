/** A test double of LLM providers: their protocols on the loopback interface, their validation, and a scripted model. */
export { startProviderDouble, type ProviderDouble, type ProviderDoubleOptions } from './server/start-provider-double.ts';
export type { RecordedRefusal, RecordedRequest } from './server/recorded-request.ts';
export type {
  Chunking,
  DeltaFault,
  ConversationScript,
  ScriptedCall,
  ScriptedError,
  ScriptedFinish,
  ScriptedTurn,
  ScriptStep,
} from './script/scripted-turn.ts';
export type { NeutralCall, NeutralMessage, NeutralRequest, NeutralResult, NeutralTool } from './neutral/neutral-request.ts';
export { checkRequest, type BackendProfile, type CheckRequestOptions, type RequestProblem, type WireFormat } from './rules/index.ts';
