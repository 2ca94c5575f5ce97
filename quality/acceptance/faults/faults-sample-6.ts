/** A sixth sample, drawn like the fifth: those that break a sentence of the documents and that the tests did not notice at first. */
import { faultsIn, type Fault } from './fault.ts';

export const drawnLater: readonly Fault[] = [
  ...faultsIn('packages/core/src', [
    [
      'no delay before the next attempt of a call that came alone',
      'agent/loop/agent-run.ts',
      'await this.#backOff(incremental.answer, delayMs, signal);',
      ';',
      'S2-backoff',
    ],
    [
      'a name twice in the arguments is a complaint without words',
      'agent/loop/model-call.ts',
      "message: 'The arguments contain a name twice in one object',",
      '',
      'S2-tool S2-feedback',
    ],
    [
      'no alternative after a failure that does not count at the circuit',
      'engine/call/failure.ts',
      "else effects.push({ type: 'observe', toolName: target.toolName });",
      "else effects.push({ type: 'observe' });",
      'S1-5.1 S4-batch',
    ],
    [
      'validation errors of libraries are unknown',
      'engine/classify/evidence.ts',
      'layer.hasIssues ||= isText || field === true || isObject(field);',
      'layer.hasIssues ||= isText && field === true || isObject(field);',
      'S0-1.2',
    ],
    [
      'lists of errors are not read',
      'engine/classify/reading.ts',
      "return typeof length === 'number' ? Array.from",
      'return false ? Array.from',
      'S0-1.3 S4-categories',
    ],
    [
      'names of failures have no weight',
      'engine/classify/symbols.ts',
      'weight: isVague ? is.general : clientCategories.test(verdict.category) ? is.name : is.answer,',
      '',
      'S0-1.3',
    ],
    [
      'an output that used up its attempts has no error',
      'agent/loop/read-output.ts',
      'error: parsed.error, text: `${text}\\nThe attempts are used up.`, exhausted }',
      'text: `${text}\\nThe attempts are used up.`, exhausted }',
      'S2-structured-output S2-exhaustion',
    ],
    [
      'rules name tools by what is no name',
      'engine/recover/recovery-rules.ts',
      "if (typeof value !== 'string' || value === '' || value.includes('*'))",
      "if ((typeof value !== 'string' && value === '') || value.includes('*'))",
      'S0-6.2',
    ],
    [
      'an escalation is recorded before its cause',
      'engine/turn/settle.ts',
      "effects.push({\n      type: 'append',\n      event: { ...escalated,",
      "effects.unshift({\n      type: 'append',\n      event: { ...escalated,",
      'S1-5.2',
    ],
  ]),
  ...faultsIn('packages/wire/src', [
    [
      'invalid names of tools cannot be read',
      'repair/name-mapping.ts',
      '(start + folded).slice(0, room)).find',
      '(start - folded).slice(0, room)).find',
      'S4-request-validation',
    ],
    [
      "schemas are not those of Gemini's subset",
      'definitions/repair-schema.ts',
      "if (context.format === 'gemini') return repairGeminiSchema",
      'if (false) return repairGeminiSchema',
      'S4-auto-correction',
    ],
    [
      'late results of Responses are moved without need',
      'repair/place-items.ts',
      "return placing.rules.results === 'items-behind' ?",
      "return placing.rules.results !== 'items-behind' ?",
      'S4-auto-correction',
    ],
    [
      'a result behind its call is not certain if a later one has its id',
      'repair/pair-by-id.ts',
      'const isOwn = own === results[0] && own.inPlace && own.turn === turn;',
      'const isOwn = own !== results[0] && own.inPlace && own.turn === turn;',
      'S4-auto-correction',
    ],
    [
      'late results without ids are paired when they came apart',
      'repair/pair-by-order.ts',
      'results.every(({ run }) => run === found.run);',
      'results.every(({ run }) => run !== found.run);',
      'S4-auto-correction',
    ],
    [
      'a call without a name is removed without saying which',
      'responses/tool-turn.ts',
      "action: 'removed', path: `toolCalls.${index}`, before: call });",
      "action: 'removed', path: `toolCalls.${index}` });",
      'S4-auto-correction',
    ],
  ]),
];
