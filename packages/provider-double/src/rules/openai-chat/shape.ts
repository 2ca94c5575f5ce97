/** The fields of a Chat Completions request, all of them untrusted. */

export interface ChatRequest {
  readonly model?: unknown;
  readonly messages?: unknown;
  readonly tools?: unknown;
  readonly tool_choice?: unknown;
  readonly parallel_tool_calls?: unknown;
  readonly thinking?: unknown;
  readonly enable_thinking?: unknown;
}

export interface ChatMessage {
  readonly role?: unknown;
  readonly content?: unknown;
  readonly tool_calls?: unknown;
  readonly tool_call_id?: unknown;
  readonly function_call?: unknown;
  readonly refusal?: unknown;
  readonly audio?: unknown;
  readonly reasoning_content?: unknown;
}

export interface ChatCall {
  readonly id?: unknown;
  readonly type?: unknown;
  readonly function?: unknown;
  readonly custom?: unknown;
}

export interface NamedArguments {
  readonly name?: unknown;
  readonly arguments?: unknown;
  readonly input?: unknown;
}

export interface ChatTool {
  readonly type?: unknown;
  readonly function?: unknown;
  readonly custom?: unknown;
}

export interface FunctionDefinition {
  readonly name?: unknown;
  readonly parameters?: unknown;
  readonly strict?: unknown;
}
