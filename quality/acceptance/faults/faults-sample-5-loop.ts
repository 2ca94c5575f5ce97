/** A fifth sample, drawn by seeds instead of chosen (`npm run faults:sample`): those that break a sentence of the documents; the loop with a model. */
import { faultsIn, type Fault } from './fault.ts';

export const drawnLoop: readonly Fault[] = [
  ...faultsIn('packages/core/src', [
    [
      'session.ts: onReducerError becomes false',
      'agent/session/session.ts',
      'if (onReducerError) this.#listeners.add(onReducerError);',
      'if (false) this.#listeners.add(onReducerError);',
      'S2-nothing-swallowed S2-principle-reducers',
    ],
    [
      'run-inference.ts: feedback: fresh, becomes nothing',
      'agent/loop/run-inference.ts',
      'feedback: fresh,',
      '',
      'S2-structured-output S2-principle-prompt',
    ],
    [
      'histogram.ts: 0 becomes 1',
      'agent/session/histogram.ts',
      'return { bounds, counts: Array.from({ length: bounds.length + 1 }, () => 0), count: 0, sum: 0 };',
      'return { bounds, counts: Array.from({ length: bounds.length + 1 }, () => 1), count: 0, sum: 0 };',
      'S2-metrics',
    ],
    [
      "backoff-strategies.ts: refuse(`${strategy}: '${field}'`, value, 'a number becomes ;",
      'agent/session/backoff-strategies.ts',
      "refuse(`${strategy}: '${field}'`, value, 'a number of seconds, 0 or more', 'number');",
      ';',
      'S2-backoff',
    ],
    [
      'session.ts: slices ?? {} becomes slices',
      'agent/session/session.ts',
      'checkSlices(slices ?? {});',
      'checkSlices(slices);',
      'S3-loop S2-structured-output',
    ],
    [
      "run-calls.ts: message: `Not run: it depends on '${name.slice(0,  becomes nothing",
      'agent/loop/run-calls.ts',
      "message: `Not run: it depends on '${name.slice(0, 100)}', which is not among the calls of this answer`,",
      '',
      'S3-negatives S3-invariant',
    ],
    [
      'repeated-calls.ts: !known || known.failures < this.#limit becomes false',
      'agent/loop/repeated-calls.ts',
      'if (!known || known.failures < this.#limit) return undefined;',
      'if (false) return undefined;',
      'S3-loop S3-recovery',
    ],
    [
      'validation-attempts.ts: errorType, becomes nothing',
      'agent/loop/validation-attempts.ts',
      '      errorType,',
      '      ',
      'S2-principle-reducers S2-structured-output',
    ],
    [
      'agent-run.ts: max becomes min',
      'agent/loop/agent-run.ts',
      'return recorded.reduce((longest, { delayMs }) => Math.max(longest, delayMs), 0);',
      'return recorded.reduce((longest, { delayMs }) => Math.min(longest, delayMs), 0);',
      'S2-structured-output S2-question-opt-out',
    ],
    [
      'tool-signature.ts: schema ?? {} becomes {}',
      'agent/loop/tool-signature.ts',
      'const { properties, required } = schema ?? {};',
      'const { properties, required } = {};',
      'S2-principle-prompt',
    ],
    [
      'run-inference.ts: push becomes unshift',
      'agent/loop/run-inference.ts',
      "this.#messages.push({ role: 'assistant', content: text, calls: answers.map(asExecuted) });",
      "this.#messages.unshift({ role: 'assistant', content: text, calls: answers.map(asExecuted) });",
      'S3-loop S2-loop',
    ],
  ]),
];
