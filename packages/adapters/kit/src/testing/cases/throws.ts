/** Owns the cases of tools that throw arbitrary values, or return output that JSON cannot represent. */
import type { ContractCase } from '../contract-case.ts';
import { judge } from '../contract-case.ts';
import { toolResults } from '../stage.ts';
import { call, cityTool, done, resultMatches, textAt, weather } from './tools.ts';

interface Thrown {
  readonly id: string;
  readonly what: string;
  readonly make: () => unknown;
  /** Whether it has the message `boom`. */
  readonly hasMessage: boolean;
}

const hostile = (): unknown =>
  new Proxy(
    {},
    {
      get: () => {
        throw new Error('trap');
      },
      getPrototypeOf: () => {
        throw new Error('trap');
      },
      ownKeys: () => {
        throw new Error('trap');
      },
    },
  );

const withGetter = (): unknown => {
  const error = new Error('hidden');
  const throwError = (): never => {
    throw new Error('trap');
  };
  return Object.defineProperties(error, { message: { get: throwError }, stack: { get: throwError }, name: { get: throwError } });
};

const thrown: readonly Thrown[] = [
  { id: 'error', what: 'an Error', make: () => new Error('boom'), hasMessage: true },
  { id: 'string', what: 'a string', make: () => 'boom', hasMessage: true },
  { id: 'undefined', what: 'undefined', make: () => undefined, hasMessage: false },
  { id: 'null', what: 'null', make: () => null, hasMessage: false },
  { id: 'object', what: 'a plain object', make: () => ({ code: 'E_BOOM', message: 'boom' }), hasMessage: true },
  { id: 'frozen', what: 'a frozen Error', make: () => Object.freeze(new Error('boom')), hasMessage: true },
  { id: 'proxy', what: 'a proxy that throws on every access', make: hostile, hasMessage: false },
  { id: 'getter', what: 'an Error with a throwing message getter', make: withGetter, hasMessage: false },
];

function throwCase({ id, what, make, hasMessage }: Thrown): ContractCase {
  return {
    id: `throws-${id}`,
    title: `A tool throws ${what}, next to one that works`,
    expected: hasMessage ? 'one result each; the model is told the error' : 'one result each; the model is told that the tool failed',
    needs: [],
    async observe(stage) {
      const broken = cityTool('broken', () => {
        throw make();
      });
      const played = await stage.play({ tools: [broken, weather()], script: [{ calls: [call('broken'), call('get_weather')] }, done] });
      const text = textAt(played, 0);
      return judge(
        stage,
        played,
        [
          [toolResults(played).length === 2, 'there is one result per call'],
          [
            hasMessage ? text.includes('boom') : /fail|error|mistake/i.test(text),
            'the model is told that it failed, and the error message if there is one',
          ],
          [resultMatches(played, 1, /Rain in Oslo/), 'the other result is kept'],
        ],
        {
          own: [[!/\[object|^(?:Error: )?(?:undefined|null)\b/i.test(text), 'the model gets a readable text']],
          traced: ['ToolError', 'CallCompleted'],
        },
      );
    },
  };
}

const circular = (): unknown => {
  const value: Record<string, unknown> = { city: 'Oslo' };
  value['self'] = value;
  return value;
};

function outputCase(id: string, what: string, make: () => unknown): ContractCase {
  return {
    id: `output-${id}`,
    title: `A tool returns ${what}`,
    expected: 'the model gets the serializable part; the run continues',
    needs: [],
    async observe(stage) {
      const played = await stage.play({ tools: [cityTool('odd', make)], script: [{ calls: [call('odd')] }, done] });
      return judge(stage, played, [
        [
          resultMatches(played, 0, /Oslo/) && resultMatches(played, 0, id === 'bigint' ? /12345678901234567890/ : /./),
          'the serializable part is passed on',
        ],
        [played.text === 'All done.', 'the run continues'],
      ]);
    },
  };
}

export const throwCases: readonly ContractCase[] = [
  ...thrown.map(throwCase),
  outputCase('bigint', 'an object with a BigInt', () => ({ city: 'Oslo', population: 12345678901234567890n })),
  outputCase('circular', 'an object that contains itself', circular),
];
