/**
 * Owns the table of rules: their stable ids, what each one wants and what is done where it is broken.
 * The page of repair rules is printed from it. Ids are data: they stand in reports and traces and do not change.
 */
/** Whose fault it is: the transcript's, the model's, the tool definitions', or of state that the provider holds. */
export type RuleKind = 'history' | 'model' | 'definition' | 'state';

/** What a provider requires of a request, response or tool definition. */
export interface Rule {
  /** Where the fault lies if the rule is broken. */
  readonly kind: RuleKind;
  /** What a valid request, response or definition is like. */
  readonly requires: string;
  /** What is done where it is not; `undefined`: it is reported. */
  readonly repair?: string;
}

/** All rules, by their stable ids. */
export const rules = {
  // Calls and results
  'missing-result': {
    kind: 'history',
    requires: 'Every call has a result.',
    repair: 'An error result is added, in the place of the call. It says that nothing was recorded and that the tool may have run.',
  },
  'orphan-result': { kind: 'history', requires: 'Every result has its call, before it.', repair: 'The result is removed.' },
  'duplicate-result': {
    kind: 'history',
    requires: 'Every call has one result.',
    repair: 'One stays: a real one before a placeholder, else the last that stands together with the first.',
  },
  'duplicate-call': {
    kind: 'history',
    requires: 'A call is made once.',
    repair: 'A call with the id, name and arguments of another one of the same turn is removed when there is one result for both.',
  },
  'result-place': {
    kind: 'history',
    requires: 'Results follow their calls where the provider looks for them.',
    repair: 'Results are moved directly behind the calls, in the order of the calls.',
  },
  'result-id': {
    kind: 'history',
    requires: 'A result names the id of its call.',
    repair: 'It gets the id of the call that it is paired with: by name and occurrence, else by position.',
  },
  'result-name': { kind: 'history', requires: 'A result names the tool of its call.', repair: 'The name is taken from the call.' },
  // Ids and names
  'call-id-missing': {
    kind: 'history',
    requires: 'A call has an id.',
    repair: 'It gets one made of its position; its result gets the same.',
  },
  'call-id-form': {
    kind: 'history',
    requires: 'Ids have the letters and the length that the provider allows.',
    repair: 'A short hash takes its place, in call and result; the mapping leads back.',
  },
  'call-id-duplicate': {
    kind: 'history',
    requires: 'An id stands for one call, in the turn or in the request, as the provider has it.',
    repair: 'The first call keeps the id; a later one and its result get a hash of id and occurrence.',
  },
  'item-id': {
    kind: 'history',
    requires: 'Item ids begin with what their type asks for and are there once.',
    repair: 'The item id is removed. It is optional.',
  },
  'name-form': {
    kind: 'history',
    requires: 'Tool names have the letters and the length that the provider allows, in definitions and in the transcript.',
    repair: 'A legible name with a hash takes its place everywhere; the mapping leads back.',
  },
  'name-missing': { kind: 'history', requires: 'A call names a tool.', repair: 'The name becomes `unknown_tool`.' },
  // Contents
  'arguments-form': {
    kind: 'history',
    requires: 'Arguments have the form of the provider: an object, or the JSON text of one.',
    repair: 'Converted without loss where they can be read; what cannot be read is kept under `_invalid_arguments`.',
  },
  'empty-content': {
    kind: 'history',
    requires: 'Messages and their texts have a content.',
    repair: 'Empty texts are removed, and messages in which nothing is left; where a content must be, a neutral text stands in.',
  },
  'empty-calls': { kind: 'history', requires: 'A list of calls has at least one.', repair: 'The empty list is removed.' },
  'content-form': {
    kind: 'history',
    requires: 'Contents have the form of the provider, such as a string instead of a list.',
    repair: 'Converted without loss.',
  },
  'json-value': {
    kind: 'history',
    requires: 'Arguments and outputs are plain JSON values.',
    repair: 'Dates, big integers, class instances and circles become plain values.',
  },
  'unknown-field': {
    kind: 'history',
    requires: 'Messages have no fields that the provider does not know, where it refuses them.',
    repair: 'The fields are removed.',
  },
  unicode: { kind: 'history', requires: 'Texts are well-formed Unicode.', repair: 'Half characters become U+FFFD, except in reasoning.' },
  // Messages
  role: {
    kind: 'history',
    requires: 'A message has a role that fits its content.',
    repair: 'The role is taken from what is in the message: calls, results or neither.',
  },
  'message-shape': { kind: 'history', requires: 'A message is an object that can be read.', repair: 'What is no message is removed.' },
  'message-merge': {
    kind: 'history',
    requires: 'The calls of one turn stand in one message.',
    repair: 'Neighbouring messages of the model are merged, blocks in their order.',
  },
  'block-order': {
    kind: 'history',
    requires: 'Blocks of a turn stand in an order that the provider reads.',
    repair: 'Calls move behind server tools, or behind texts and reasoning, inside their segment only.',
  },
  'role-order': {
    kind: 'history',
    requires: 'Roles follow each other as the provider allows.',
    repair: 'A bridge message is added between them.',
  },
  'starts-with-user': { kind: 'history', requires: 'The conversation starts with the user.', repair: 'A neutral first message is added.' },
  'ends-with-user': {
    kind: 'history',
    requires: 'The conversation ends with the user or with results.',
    repair: 'A neutral last message is added.',
  },
  'trailing-space': { kind: 'history', requires: 'A last text of the model does not end in blanks.', repair: 'The blanks are cut off.' },
  'mixed-turn': {
    kind: 'history',
    requires: 'Results and other content stand in different turns, for models that want it so.',
    repair: 'The turn is split, with a bridge between the halves.',
  },
  'status-field': { kind: 'history', requires: 'No status on results, for models without it.', repair: 'The field is removed.' },
  // Reasoning
  'reasoning-pair': {
    kind: 'history',
    requires:
      'A reasoning item is followed by the item it led to, can be read without stored state, and stands before an item that asks for it.',
    repair: 'A reasoning item that cannot stand is removed; item ids that ask for a missing one are removed.',
  },
  'thinking-missing': {
    kind: 'history',
    requires: 'With thinking on, a tool turn starts with thinking.',
    repair: 'Thinking is switched off for this request. A block is never invented.',
  },
  'thinking-forbidden': {
    kind: 'history',
    requires: 'With thinking off, the last turn of the model has no thinking.',
    repair: 'The thinking of that turn is removed.',
  },
  'signature-missing': {
    kind: 'history',
    requires: 'The first call of each step of the current turn has a thought signature.',
    repair: 'The documented stand-in is put in its place.',
  },
  'reasoning-content': {
    kind: 'history',
    requires: 'In thinking mode the reasoning of a tool turn is given back.',
  },
  'server-tool-pair': {
    kind: 'history',
    requires: 'A tool use of the provider and its result stand together in the turn of the model.',
    repair: 'A result without its use is removed; a use without a result gets an error result.',
  },
  // Tools and request
  'tools-missing': {
    kind: 'history',
    requires: 'A transcript with tool blocks comes with tools.',
    repair: 'Definitions are made of the names in the transcript.',
  },
  'tools-empty': { kind: 'definition', requires: 'A list of tools has at least one.', repair: 'The empty list is removed.' },
  'tool-choice': {
    kind: 'definition',
    requires: 'Choices about tools come with tools, name one of them, and force none on a model that thinks.',
    repair: 'Without tools, the choice is removed; the rest is reported.',
  },
  'tool-schema': {
    kind: 'definition',
    requires: 'Parameters are described by a schema that the provider takes.',
    repair: 'What can be left out without changing valid arguments is left out; the rest is reported.',
  },
  'tool-duplicate': {
    kind: 'definition',
    requires: 'Tool names are there once.',
    repair: 'An equal definition is removed, a different one gets a name with a hash; the mapping leads back.',
  },
  'tool-shape': {
    kind: 'definition',
    requires: 'A tool definition can be read and has a name; texts in it are not empty.',
    repair: 'An empty description is removed; the rest is reported.',
  },
  'tool-count': { kind: 'definition', requires: 'There are no more tools than the provider allows.' },
  'request-shape': { kind: 'history', requires: 'A request has messages.' },
  'server-state': { kind: 'state', requires: 'A result of a call that the provider holds names it.' },
  // Responses
  'response-shape': { kind: 'model', requires: 'A response has the form of the provider.' },
  'malformed-call': { kind: 'model', requires: 'A call can be read: it has a name, and arguments that are an object.' },
  'unknown-tool': { kind: 'model', requires: 'A call names a tool that was offered.' },
  truncated: { kind: 'model', requires: 'A response with calls is complete.' },
  'finish-reason': { kind: 'model', requires: 'The reason for the end fits the content.' },
  'count-mismatch': { kind: 'history', requires: 'There are as many results as calls.' },
} as const;

/** The stable id of a rule. */
export type RuleId = keyof typeof rules;

const table: Readonly<Record<RuleId, Rule>> = rules;

export const ruleOf = (id: RuleId): Rule => table[id];
