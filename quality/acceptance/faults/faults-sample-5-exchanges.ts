/** A fifth sample, drawn by seeds instead of chosen (`npm run faults:sample`): those that break a sentence of the documents; requests and responses of models. */
import { faultsIn, type Fault } from './fault.ts';

export const drawnExchanges: readonly Fault[] = [
  ...faultsIn('packages/wire/src', [
    [
      "read-response.ts: 'anthropic-messages': [], becomes nothing",
      'responses/read-response.ts',
      "'anthropic-messages': [],",
      '',
      'S4-response-validation',
    ],
    [
      'check-tool-shapes.ts: && becomes ||',
      'definitions/check-tool-shapes.ts',
      "if (format === 'bedrock-converse' && isPresent(request['toolConfig']) && !isRecord(request['toolConfig']))",
      "if (format === 'bedrock-converse' || isPresent(request['toolConfig']) && !isRecord(request['toolConfig']))",
      'S4-request-validation',
    ],
    [
      'repair-transcript.ts: request: given, becomes nothing',
      'repair/repair-transcript.ts',
      'if (log.clean) return { request: given, changes: [], problems: log.problems, mapping: nameMap.mapping() };',
      'if (log.clean) return {  changes: [], problems: log.problems, mapping: nameMap.mapping() };',
      'S4-request-validation S4-auto-correction',
    ],
    [
      'place-items.ts: moved becomes true',
      'repair/place-items.ts',
      "if (moved) placing.log.moved('result-place', moved);",
      "if (true) placing.log.moved('result-place', moved);",
      'S4-auto-correction',
    ],
    [
      "pairing.ts: part.kind === 'result' becomes false",
      'repair/pairing.ts',
      "if (part.kind === 'result') {",
      'if (false) {',
      'S4-request-validation S4-auto-correction',
    ],
    [
      "repair-ids.ts: the name of a call becomes ''",
      'repair/repair-ids.ts',
      'if (id !== native && rule) set(call, message, fields.id, id, rule, context.log);\n  if (!fields.name) return;\n  const name = nameOf(call, context.codec);',
      "if (id !== native && rule) set(call, message, fields.id, id, rule, context.log);\n  if (!fields.name) return;\n  const name = '';",
      'S4-request-validation S4-auto-correction',
    ],
    [
      "repair-ids.ts: part.kind === 'result' && part.partner becomes true",
      'repair/repair-ids.ts',
      "for (const part of message.parts) if (part.kind === 'result' && part.partner) repairResult(part, part.partner, message, seen, context);",
      'for (const part of message.parts) if (true) repairResult(part, part.partner, message, seen, context);',
      'S4-request-validation S4-auto-correction',
    ],
    [
      'repair-definitions.ts: refused becomes true',
      'definitions/repair-definitions.ts',
      "if (refused) log.problem('tool-choice', 'tool_choice', 'A tool call may not be forced while thinking is on.');",
      "if (true) log.problem('tool-choice', 'tool_choice', 'A tool call may not be forced while thinking is on.');",
      'S4-request-validation S4-auto-correction',
    ],
    [
      'repair-log.ts: path, becomes nothing',
      'repair/repair-log.ts',
      "if (path !== undefined) this.#entries.push({ change: { rule, path, action: 'removed', before }, target: undefined });",
      "if (path !== undefined) this.#entries.push({ change: { rule,  action: 'removed', before }, target: undefined });",
      'S4-auto-correction',
    ],
    [
      "validate-response.ts: finish === 'fault' becomes false",
      'responses/validate-response.ts',
      "else if (finish === 'fault') log.problem('malformed-call', '', `The provider could not parse the model's output: ${reason ?? ''}.`);",
      "else if (false) log.problem('malformed-call', '', `The provider could not parse the model's output: ${reason ?? ''}.`);",
      'S4-response-validation',
    ],
  ]),
];
