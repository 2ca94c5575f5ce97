/**
 * Owns the error messages with which providers refuse a request, and the rule each one is about.
 * Taken from real error messages; the first matching pattern wins, so specific ones come before general ones.
 */
import type { RuleKind } from '../rules.ts';
import type { RuleId } from '../rules.ts';

export interface FaultPattern {
  readonly rule: RuleId;
  readonly kind: RuleKind;
  readonly pattern: RegExp;
}

const history = (rule: RuleId, pattern: RegExp): FaultPattern => ({ rule, kind: 'history', pattern });
const definition = (rule: RuleId, pattern: RegExp): FaultPattern => ({ rule, kind: 'definition', pattern });

export const faultPatterns: readonly FaultPattern[] = [
  {
    rule: 'malformed-call',
    kind: 'model',
    pattern:
      /tool_use_failed|Tool call validation failed|MALFORMED_FUNCTION_CALL|UNEXPECTED_TOOL_CALL|TOO_MANY_TOOL_CALLS|malformed_tool_use|malformed_model_output|which was not in request\.tools/i,
  },
  definition(
    'tool-count',
    /array_above_max_length|At most \d+ function declarations|available_tools_limit_exceeded|'tools': array too long/i,
  ),
  definition('tools-empty', /'tools': empty array|Value at 'toolConfig\.tools' failed to satisfy constraint: Member must have length/i),
  definition(
    'tool-shape',
    /Missing required parameter: 'tools\[\d+\]\.(?:type|function|custom)'|Invalid type for 'tools(?:\[\d+\])?'|tools: Input should be a valid list|tools\.\d+: Input tag|Invalid value at 'tools(?:\[\d+\])?' |'toolConfig\.tools' failed to satisfy constraint: Member must not be null|value at toolConfig\.tools\.\d+ is invalid/i,
  ),
  definition('tool-duplicate', /Tool names must be unique|tool_name_conflict|Duplicate function declaration/i),
  definition(
    'name-form',
    /'tools\[\d+\][^']*name'|tools\.[\w.]*name: String should match|toolSpec\.name|Invalid function name|function name is invalid/i,
  ),
  definition(
    'tool-schema',
    /invalid_function_parameters|Invalid schema for function|In context=\(|is not of type 'array'|inputSchema\.json\.type must be|input_schema does not support|too many states|nesting depth|Unknown name "[^"]*" at 'tools|should be non-empty for OBJECT|only allowed for OBJECT|\.items: missing field|function parameters is empty|required\[\d+\]: property is not defined|Invalid value at 'tools\[\d+\]\.function_declarations|only allowed for STRING|should be non-empty for STRING/i,
  ),
  definition(
    'tool-choice',
    /only allowed when 'tools' are specified|tool_choice parameter does not support|does not support this tool_choice|Thinking may not be enabled when tool_choice|not found in 'tools' parameter|must be specified with 'tools'|not found in provided tools|Function calling config is set without/i,
  ),
  history(
    'duplicate-result',
    /Duplicate value for 'tool_call_id'|Duplicate function_call_output|must have a single result|multiple .tool_result. blocks|toolResult blocks .* duplicate Ids|Duplicate call_ids/i,
  ),
  history(
    'call-id-duplicate',
    /tool_use.{0,3} ids must be unique|toolUse blocks .* duplicate Ids|tool call id .* is duplicated|Duplicate 'call_id'/i,
  ),
  history('item-id', /Duplicate item found with id|Expected an ID that (?:begins|contains)/i),
  history('thinking-missing', /Expected .thinking. or|content\[\]\.thinking. in the thinking mode/i),
  history(
    'thinking-forbidden',
    /cannot contain .thinking|Invalid .signature. in .thinking|blocks in the latest assistant message cannot be modified|bound to a different conversation/i,
  ),
  history('signature-missing', /thought_signature/i),
  history('reasoning-content', /reasoning_content. in the thinking mode|Missing .reasoning_content|reasoning_content is missing/i),
  history(
    'reasoning-pair',
    /required 'reasoning' item|required following item|missing required field .summary|Items are not persisted when .store. is set to false/i,
  ),
  history(
    'server-tool-pair',
    /unexpected .tool_use_id. found in .(?!tool_result)\w+_tool_result|found without a corresponding .\w+_tool_result/i,
  ),
  history(
    'missing-result',
    /did not have response messages|insufficient tool messages|tool_use.{0,3} ids were found without|Did not find \d+ .tool_result|No tool output found for|Expected toolResult blocks|number of function response parts is equal|MissingToolResults|Tool result is missing for tool call|tool call result does not follow/i,
  ),
  history(
    'orphan-result',
    /must be a response to a prece+ding message|unexpected .tool_use_id. found in .tool_result|No tool call found for|exceeds the number of toolUse|function response turn comes immediately after|tool_call_id\s+is not found|tool id \(.*\) not found/i,
  ),
  history('mixed-turn', /cannot be provided in the same turn/i),
  history('role-order', /Unexpected role '\w+' after role|Not the same number of function calls/i),
  history('message-merge', /function call turn comes immediately after/i),
  history('result-place', /functionResponse\.id .* does not match/i),
  history(
    'call-id-form',
    /tool_calls\[\d+\]\.id.*too long|call_id.*too long|Tool call id was|tool_use\.id: String should match|tool_use_id: String should match|toolUseId.*(?:pattern|length)/i,
  ),
  history(
    'name-form',
    /function\.name.*(?:pattern|empty string)|toolUse\.name|Name cannot be empty|multi_tool_use|'messages\[\d+\]\.name'|Function name was/i,
  ),
  history('name-missing', /must have a 'name'/i),
  history(
    'arguments-form',
    /arguments.*expected a string|Missing required parameter: 'input\[\d+\]\.arguments'|input: Input should be a valid dictionary|toolUse\.input is invalid|Unterminated string|arguments must be a valid JSON|Failed to parse tool call arguments|invalid tool call arguments|invalid function arguments json|Missing required parameter: '[^']*\.input'/i,
  ),
  history('empty-calls', /tool_calls'?: empty array|Empty tool_calls/i),
  history('request-shape', /'messages': empty array|'input': empty array/i),
  history('role', /Invalid value: '(?:tool|function|model)'|Unexpected role "|valid role: user, model|unknown variant `developer`/i),
  history(
    'empty-content',
    /expected a string, got null|non-empty content|text content blocks must|ContentBlock object .* is blank|at least one content element|required oneof field 'data'|has an empty value|cannot be empty when status|content field in the Message object .* is empty|text block must be included|parts must not be empty|content or tool_calls must be set|role 'assistant' must not be empty|must have either content or tool_calls|content field is a required field|invalid message content type|Expected 'content' or 'tool_calls'|content cannot be empty if/i,
  ),
  history('starts-with-user', /must start with a user message/i),
  history('ends-with-user', /does not support assistant message prefill|must end with a user message|Expected last role User or Tool/i),
  history('trailing-space', /cannot end with trailing whitespace/i),
  history('tools-missing', /toolConfig field must be defined/i),
  history('status-field', /support the status field/i),
  history('content-form', /value must be a string|invalid message format/i),
  history('json-value', /messages must be a ModelMessage/i),
  history('unicode', /low surrogate|not valid JSON/i),
  history('unknown-field', /Unknown name "[^"]*" at '(?:contents|messages)|property '[^']*' is unsupported/i),
];
