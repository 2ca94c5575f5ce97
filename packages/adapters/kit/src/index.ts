/** The exports of `@holdfast/adapter-kit`: the shared code of the adapters. */
export { Reliable } from './reliable.ts';
export { ParsedReliable } from './parsed-reliable.ts';
export type { Entry, ParsedReliableParts } from './parsed-reliable.ts';
export {
  aiSdkMessages,
  anthropicRequests,
  bedrockRequests,
  geminiContents,
  openaiChatMessages,
  openaiResponsesItems,
} from '@holdfast/wire';
export type { FormatRepairer } from '@holdfast/wire';
export { createReliability } from './reliability.ts';
export type { FrameworkTool } from './framework-tool.ts';
export { checkReliableOptions, checkStartOptions, checkToolList } from './options.ts';
export type { Reliability, ReliableOptions, RepairReport, RunBehavior, ToolOptions } from './options.ts';
export { TurnCollector } from './turn-collector.ts';
export { Conversations } from './conversations.ts';
export { answerNativeCall } from './native-call.ts';
export type { NativeAnswer, NativeCall } from './native-call.ts';
export { fieldOf, fieldsOf, isUnaltered, itemsOf, membersOf, shownDescription, withProperties } from './vendor-values.ts';
export type { UntypedFields } from './vendor-values.ts';
export { CallSignal } from './call-signal.ts';
export { errorOfResult, failedResultWith, isContentPart, resultOfError } from './call-results.ts';
export type { ContentPart } from './call-results.ts';
export { ToolCallError } from './tool-call-error.ts';
export { describeMismatch } from './describe-mismatch.ts';
export type { RejectedArguments } from './describe-mismatch.ts';
export { describeRejection } from './describe-rejection.ts';
export { readDeclaredSchema } from './declared-schema.ts';
export type { ArgumentsOf, DeclaredSchema, SchemaValue } from './declared-schema.ts';
export { ExecutedArguments } from './executed-arguments.ts';
