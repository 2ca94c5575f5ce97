/**
 * Owns the table of rules: their stable ids, what each one wants and what is done where it is broken.
 * The page of repair rules is printed from it. Ids are data: they stand in reports and traces and do not change.
 */
/** Whose fault it is: the transcript's, the model's, the tool definitions', or of state that the provider holds. */
export type FaultKind = 'history' | 'model' | 'definition' | 'state';

export interface Rule {
  readonly kind: FaultKind;
  /** What a valid request, response or definition is like. */
  readonly wants: string;
  /** What is done where it is not; `undefined`: it is reported. */
  readonly mend?: string;
}

export const rules = {
  // Calls and results
  'missing-result': {
    kind: 'history',
    wants: 'Every call has a result.',
    mend: 'An error result is added, in the place of the call. It says that nothing was recorded and that the tool may have run.',
  },
  'orphan-result': { kind: 'history', wants: 'Every result has its call, before it.', mend: 'The result is removed.' },
  'duplicate-result': {
    kind: 'history',
    wants: 'Every call has one result.',
    mend: 'One stays: a real one before a placeholder, else the last that stands together with the first.',
  },
  'duplicate-call': {
    kind: 'history',
    wants: 'A call is made once.',
    mend: 'A call with the id, name and arguments of another one of the same turn is removed when there is one result for both.',
  },
  'result-place': {
    kind: 'history',
    wants: 'Results follow their calls where the provider looks for them.',
    mend: 'Results are moved directly behind the calls, in the order of the calls.',
  },
  'result-id': {
    kind: 'history',
    wants: 'A result names the id of its call.',
    mend: 'It gets the id of the call that it is paired with: by name and occurrence, else by position.',
  },
  'result-name': { kind: 'history', wants: 'A result names the tool of its call.', mend: 'The name is taken from the call.' },
  // Ids and names
  'call-id-missing': {
    kind: 'history',
    wants: 'A call has an id.',
    mend: 'It gets one made of its position; its result gets the same.',
  },
  'call-id-form': {
    kind: 'history',
    wants: 'Ids have the letters and the length that the provider allows.',
    mend: 'A short hash takes its place, in call and result; the mapping leads back.',
  },
  'call-id-duplicate': {
    kind: 'history',
    wants: 'An id stands for one call, in the turn or in the request, as the provider has it.',
    mend: 'The first call keeps the id; a later one and its result get a hash of id and occurrence.',
  },
  'item-id': {
    kind: 'history',
    wants: 'Item ids begin with what their type asks for and are there once.',
    mend: 'The item id is removed. It is optional.',
  },
  'name-form': {
    kind: 'history',
    wants: 'Tool names have the letters and the length that the provider allows, in definitions and in the transcript.',
    mend: 'A legible name with a hash takes its place everywhere; the mapping leads back.',
  },
  'name-missing': { kind: 'history', wants: 'A call names a tool.', mend: 'The name becomes `unknown_tool`.' },
  // Contents
  'arguments-form': {
    kind: 'history',
    wants: 'Arguments have the form of the provider: an object, or the JSON text of one.',
    mend: 'Converted without loss where they can be read; what cannot be read is kept under `_invalid_arguments`.',
  },
  'empty-content': {
    kind: 'history',
    wants: 'Messages and their texts have a content.',
    mend: 'Empty texts are removed, and messages in which nothing is left; where a content must be, a neutral text stands in.',
  },
  'empty-calls': { kind: 'history', wants: 'A list of calls has at least one.', mend: 'The empty list is removed.' },
  'content-form': {
    kind: 'history',
    wants: 'Contents have the form of the provider, such as a text instead of a list.',
    mend: 'Converted without loss.',
  },
  'json-value': {
    kind: 'history',
    wants: 'Arguments and outputs are plain JSON values.',
    mend: 'Dates, big integers, class instances and circles become plain values.',
  },
  'unknown-field': {
    kind: 'history',
    wants: 'Messages have no fields that the provider does not know, where it refuses them.',
    mend: 'The fields are removed.',
  },
  unicode: { kind: 'history', wants: 'Texts are well-formed Unicode.', mend: 'Half characters become U+FFFD, except in reasoning.' },
  // Messages
  role: {
    kind: 'history',
    wants: 'A message has a role that fits its content.',
    mend: 'The role is taken from what is in the message: calls, results or neither.',
  },
  'message-shape': { kind: 'history', wants: 'A message is an object that can be read.', mend: 'What is no message is removed.' },
  'message-merge': {
    kind: 'history',
    wants: 'The calls of one turn stand in one message.',
    mend: 'Neighbouring messages of the model are merged, blocks in their order.',
  },
  'block-order': {
    kind: 'history',
    wants: 'Blocks of a turn stand in an order that the provider reads.',
    mend: 'Calls move behind server tools, or behind texts and reasoning, inside their segment only.',
  },
  'role-order': {
    kind: 'history',
    wants: 'Roles follow each other as the provider allows.',
    mend: 'A bridge message is added between them.',
  },
  'starts-with-user': { kind: 'history', wants: 'The conversation starts with the user.', mend: 'A neutral first message is added.' },
  'ends-with-user': {
    kind: 'history',
    wants: 'The conversation ends with the user or with results.',
    mend: 'A neutral last message is added.',
  },
  'trailing-space': { kind: 'history', wants: 'A last text of the model does not end in blanks.', mend: 'The blanks are cut off.' },
  'mixed-turn': {
    kind: 'history',
    wants: 'Results and other content stand in different turns, for models that want it so.',
    mend: 'The turn is split, with a bridge between the halves.',
  },
  'status-field': { kind: 'history', wants: 'No status on results, for models without it.', mend: 'The field is removed.' },
  // Reasoning
  'reasoning-pair': {
    kind: 'history',
    wants:
      'A reasoning item is followed by the item it led to, can be read without stored state, and stands before an item that asks for it.',
    mend: 'A reasoning item that cannot stand is removed; item ids that ask for a missing one are removed.',
  },
  'thinking-missing': {
    kind: 'history',
    wants: 'With thinking on, a tool turn starts with thinking.',
    mend: 'Thinking is switched off for this request. A block is never invented.',
  },
  'thinking-forbidden': {
    kind: 'history',
    wants: 'With thinking off, the last turn of the model has no thinking.',
    mend: 'The thinking of that turn is removed.',
  },
  'signature-missing': {
    kind: 'history',
    wants: 'The first call of each step of the current turn has a thought signature.',
    mend: 'The documented stand-in is put in its place.',
  },
  'reasoning-content': {
    kind: 'history',
    wants: 'In thinking mode the reasoning of a tool turn is given back.',
  },
  'server-tool-pair': {
    kind: 'history',
    wants: 'A tool use of the provider and its result stand together in the turn of the model.',
    mend: 'A result without its use is removed; a use without a result gets an error result.',
  },
  // Tools and request
  'tools-missing': {
    kind: 'history',
    wants: 'A transcript with tool blocks comes with tools.',
    mend: 'Definitions are made of the names in the transcript.',
  },
  'tools-empty': { kind: 'definition', wants: 'A list of tools has at least one.', mend: 'The empty list is removed.' },
  'tool-choice': {
    kind: 'definition',
    wants: 'Choices about tools come with tools, name one of them, and force none on a model that thinks.',
    mend: 'Without tools, the choice is removed; the rest is reported.',
  },
  'tool-schema': {
    kind: 'definition',
    wants: 'Parameters are described by a schema that the provider takes.',
    mend: 'What can be left out without changing valid arguments is left out; the rest is reported.',
  },
  'tool-duplicate': {
    kind: 'definition',
    wants: 'Tool names are there once.',
    mend: 'An equal definition is removed, a different one gets a name with a hash; the mapping leads back.',
  },
  'tool-shape': {
    kind: 'definition',
    wants: 'A tool definition can be read and has a name; texts in it are not empty.',
    mend: 'An empty description is removed; the rest is reported.',
  },
  'tool-count': { kind: 'definition', wants: 'There are no more tools than the provider allows.' },
  'request-shape': { kind: 'history', wants: 'A request has messages.' },
  'server-state': { kind: 'state', wants: 'A result of a call that the provider holds names it.' },
  // Responses
  'response-shape': { kind: 'model', wants: 'A response has the form of the provider.' },
  'malformed-call': { kind: 'model', wants: 'A call can be read: it has a name, and arguments that are an object.' },
  'unknown-tool': { kind: 'model', wants: 'A call names a tool that was offered.' },
  truncated: { kind: 'model', wants: 'A response with calls is complete.' },
  'finish-reason': { kind: 'model', wants: 'The reason for the end fits the content.' },
  'count-mismatch': { kind: 'history', wants: 'There are as many results as calls.' },
} as const;

/** The stable id of a rule. */
export type RuleId = keyof typeof rules;

const table: Readonly<Record<RuleId, Rule>> = rules;

export const ruleOf = (id: RuleId): Rule => table[id];
