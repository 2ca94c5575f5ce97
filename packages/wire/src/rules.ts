/**
 * Owns the table of rules: their stable ids, what each one requires, and the repair applied when it is broken.
 * The reference page of repair rules is generated from it. Ids appear in reports and traces and must not change.
 */
/** Where a fault is: in the transcript, the model's output, the tool definitions, or state held by the provider. */
export type RuleKind = 'history' | 'model' | 'definition' | 'state';

/** What a provider requires of a request, response or tool definition. */
export interface ProviderRule {
  /** Where the fault is if the rule is broken. */
  readonly kind: RuleKind;
  /** What a valid request, response or definition looks like. */
  readonly requires: string;
  /** How a violation is repaired; `undefined` if it is only reported. */
  readonly repair?: string;
}

/** All rules, by their stable ids. */
export const rules = {
  // Calls and results
  'missing-result': {
    kind: 'history',
    requires: 'Every call has a result.',
    repair: 'An error result is added for the call. It says that no result was recorded and that the tool may have run.',
  },
  'orphan-result': { kind: 'history', requires: 'Every result follows its call.', repair: 'The result is removed.' },
  'duplicate-result': {
    kind: 'history',
    requires: 'Every call has one result.',
    repair:
      'One is kept: a real result rather than a placeholder, which it replaces even if it came later; else the last one of the run that contains the first, or the first if calls of that run were lost.',
  },
  'uncertain-result': {
    kind: 'history',
    requires: 'It is certain to which call a result belongs.',
    repair: 'A result that could belong to several calls is removed; it is never given to one of them by guess.',
  },
  'duplicate-call': {
    kind: 'history',
    requires: 'A call is not repeated.',
    repair: 'A call with the same id, name and arguments as another one of the same turn is removed if there is one result for both.',
  },
  'result-place': {
    kind: 'history',
    requires: 'Results follow their calls where the provider expects them.',
    repair: 'Results are moved directly after the calls, in the order of the calls.',
  },
  'result-id': {
    kind: 'history',
    requires: 'A result has the id of its call.',
    repair:
      'It gets the id of the call it is paired with: by name, else by order, if there is one result for each call that it could belong to.',
  },
  'result-name': {
    kind: 'history',
    requires: 'A result names the tool of its call.',
    repair: 'A missing or differently written name is taken from the call. A result that names another tool is not paired with it.',
  },
  // Ids and names
  'call-id-missing': {
    kind: 'history',
    requires: 'A call has an id.',
    repair: 'It gets one derived from its position; its result gets the same.',
  },
  'call-id-form': {
    kind: 'history',
    requires: 'Ids have the characters and length the provider allows.',
    repair: 'It is replaced by a short hash, in call and result; the mapping contains the original.',
  },
  'call-id-duplicate': {
    kind: 'history',
    requires: 'Call ids are unique, within the turn or the request as the provider requires.',
    repair: 'The first call keeps the id; later ones and their results get a hash of id and occurrence.',
  },
  'item-id': {
    kind: 'history',
    requires: 'Item ids have the prefix of their type and are unique.',
    repair: 'The item id is removed. It is optional.',
  },
  'name-form': {
    kind: 'history',
    requires: 'Names of tools and messages have the characters and length the provider allows, in definitions and in the transcript.',
    repair:
      'A tool gets a readable name with a hash everywhere; the mapping contains the original. In the name of a message other characters become `_`; the name of a result is removed.',
  },
  'name-missing': {
    kind: 'history',
    requires: 'A call names a tool, and a legacy result its function.',
    repair:
      'A call takes the name of its result where results have one, or becomes `unknown_tool`; a legacy result takes the name of the call before it.',
  },
  // Contents
  'arguments-form': {
    kind: 'history',
    requires: 'Arguments have the form the provider requires: an object, or the JSON text of one.',
    repair: 'Readable arguments are converted without loss; unreadable ones are kept under `_invalid_arguments`.',
  },
  'empty-content': {
    kind: 'history',
    requires: 'Messages and their texts are not empty.',
    repair: 'Empty texts and emptied messages are removed; where content is required, a neutral text is added.',
  },
  'empty-calls': { kind: 'history', requires: 'A list of calls is not empty.', repair: 'The empty list is removed.' },
  'content-form': {
    kind: 'history',
    requires: 'Contents have the form and the types the provider requires, such as a string instead of a list.',
    repair: 'Converted without loss; content of a type that the provider does not accept is reported.',
  },
  'json-value': {
    kind: 'history',
    requires: 'Arguments and outputs are plain JSON values.',
    repair: 'Dates, big integers, class instances and circular references become plain values.',
  },
  'unknown-field': {
    kind: 'history',
    requires: 'Messages have no unknown fields, if the provider refuses them.',
    repair: 'The fields are removed.',
  },
  unicode: { kind: 'history', requires: 'Texts are well-formed Unicode.', repair: 'Lone surrogates become U+FFFD, except in reasoning.' },
  // Messages
  role: {
    kind: 'history',
    requires: 'A message has a role that fits its content.',
    repair:
      'The role is derived from the content of the message: calls, results or neither. `developer` becomes `system` where it is unknown.',
  },
  'message-shape': { kind: 'history', requires: 'A message is an object that can be read.', repair: 'Anything else is removed.' },
  'message-merge': {
    kind: 'history',
    requires: 'The calls of one turn are in one message.',
    repair: 'Adjacent messages of the model are merged, with their blocks in order.',
  },
  'block-order': {
    kind: 'history',
    requires: 'The blocks of a turn are in an order the provider accepts.',
    repair: 'Calls are moved after server tools, or after texts and reasoning, within their segment only.',
  },
  'role-order': {
    kind: 'history',
    requires: 'Roles follow each other in an order the provider allows.',
    repair: 'A bridge message is added between them.',
  },
  'starts-with-user': {
    kind: 'history',
    requires: 'The conversation starts with a user message.',
    repair: 'A neutral first message is added.',
  },
  'ends-with-user': {
    kind: 'history',
    requires: 'The conversation ends with a user message or results.',
    repair: 'A neutral last message is added.',
  },
  'trailing-space': {
    kind: 'history',
    requires: 'A last text of the model does not end with whitespace.',
    repair: 'The whitespace is trimmed.',
  },
  'mixed-turn': {
    kind: 'history',
    requires: 'Results and other content are in different turns, for models that require it.',
    repair: 'The turn is split, with a bridge message between the two parts.',
  },
  'status-field': {
    kind: 'history',
    requires: 'Results have no status, for models that do not support it.',
    repair: 'The field is removed.',
  },
  // Reasoning
  'reasoning-pair': {
    kind: 'history',
    requires:
      'A reasoning item is followed by the item it led to, is readable without stored state, and precedes any item that references it.',
    repair: 'An invalid reasoning item is removed, and so are item ids that reference a missing one.',
  },
  'thinking-missing': {
    kind: 'history',
    requires: 'With thinking on, a tool turn starts with thinking.',
    repair: 'Thinking is switched off for this request. Thinking blocks are never invented.',
  },
  'thinking-forbidden': {
    kind: 'history',
    requires: 'With thinking off, the last turn of the model has no thinking. At Anthropic, thinking has a signature.',
    repair: 'The thinking of that turn is removed, and so is thinking without a signature in every turn.',
  },
  'signature-missing': {
    kind: 'history',
    requires: 'The first call of each step of the current turn has a thought signature.',
    repair: 'The documented placeholder is used.',
  },
  'reasoning-content': {
    kind: 'history',
    requires: 'In thinking mode, the reasoning of a tool turn is sent back.',
    repair: 'Lost reasoning is replaced by an empty string. Reasoning is never invented.',
  },
  'server-tool-pair': {
    kind: 'history',
    requires: 'A server tool use and its result are in the same turn of the model.',
    repair: 'A result without its use is removed; a use without a result gets an error result.',
  },
  // Tools and request
  'tools-missing': {
    kind: 'history',
    requires: 'A transcript with tool blocks comes with tools.',
    repair: 'Definitions are created from the names in the transcript.',
  },
  'tools-empty': { kind: 'definition', requires: 'A list of tools is not empty.', repair: 'The empty list is removed.' },
  'tool-choice': {
    kind: 'definition',
    requires: 'A tool choice comes with tools, names one of them, and does not force a call while thinking is on.',
    repair: 'Without tools, the choice is removed; the rest is reported.',
  },
  'tool-schema': {
    kind: 'definition',
    requires: 'Parameters are described by a schema the provider accepts.',
    repair: 'Keywords that do not affect which arguments are valid are removed, and other dialects are translated; the rest is reported.',
  },
  'tool-duplicate': {
    kind: 'definition',
    requires: 'Tool names are unique.',
    repair: 'An identical definition is removed, a different one gets a name with a hash; the mapping contains the original.',
  },
  'tool-shape': {
    kind: 'definition',
    requires: 'A tool definition is readable and has a name; its texts are not empty.',
    repair: 'An empty description is removed; the rest is reported.',
  },
  'tool-count': { kind: 'definition', requires: 'There are at most as many tools as the provider allows.' },
  'request-shape': { kind: 'history', requires: 'A request has messages.' },
  'server-state': { kind: 'state', requires: 'A result has the id of its call, if the provider holds the call.' },
  // Responses
  'response-shape': { kind: 'model', requires: 'A response has the form of its format.' },
  'malformed-call': { kind: 'model', requires: 'A call is readable: it has a name, and its arguments are an object.' },
  'unknown-tool': { kind: 'model', requires: 'The called tool was offered.' },
  truncated: { kind: 'model', requires: 'A response with calls is complete.' },
  'finish-reason': { kind: 'model', requires: 'The finish reason matches the content.' },
  'count-mismatch': { kind: 'history', requires: 'There are as many results as calls.' },
} as const;

/** The stable id of a rule. */
export type RuleId = keyof typeof rules;

const table: Readonly<Record<RuleId, ProviderRule>> = rules;

export const ruleOf = (id: RuleId): ProviderRule => table[id];
