/** The fields of a generateContent request, all of them untrusted. */
import { fieldsOf, isRecord, listOf } from '../reading.ts';

export interface GenerateRequest {
  readonly model?: unknown;
  readonly contents?: unknown;
  readonly tools?: unknown;
  readonly toolConfig?: unknown;
  readonly tool_config?: unknown;
}

export interface Content {
  readonly role?: unknown;
  readonly parts?: unknown;
}

export interface Part {
  readonly text?: unknown;
  readonly thoughtSignature?: unknown;
  readonly thought_signature?: unknown;
  readonly functionCall?: unknown;
  readonly function_call?: unknown;
  readonly functionResponse?: unknown;
  readonly function_response?: unknown;
}

export interface Call {
  readonly id?: unknown;
  readonly name?: unknown;
  readonly args?: unknown;
  readonly response?: unknown;
}

/** Both JSON spellings (camelCase and snake_case) are accepted. */
export const callOf = (part: Part): Call | undefined => {
  const call = part.functionCall ?? part.function_call;
  return isRecord(call) ? fieldsOf<Call>(call) : undefined;
};

export const responseOf = (part: Part): Call | undefined => {
  const response = part.functionResponse ?? part.function_response;
  return isRecord(response) ? fieldsOf<Call>(response) : undefined;
};

export const signatureOf = (part: Part): unknown => part.thoughtSignature ?? part.thought_signature;

export const partsOf = (content: unknown): readonly Part[] => listOf(fieldsOf<Content>(content).parts).map((part) => fieldsOf<Part>(part));

export const callsIn = (content: unknown): readonly Call[] => partsOf(content).flatMap((part) => callOf(part) ?? []);

export const responsesIn = (content: unknown): readonly Call[] => partsOf(content).flatMap((part) => responseOf(part) ?? []);
