/** Owns the cases in which tools throw, whatever can be thrown, or answer with what JSON cannot tell. */
import type { ContractCase } from '../contract-case.ts';
import { judge } from '../contract-case.ts';
import { toolResults } from '../stage.ts';
import { call, cityTool, done, says, textAt, weather } from './tools.ts';

interface Thrown {
  readonly id: string;
  readonly what: string;
  readonly make: () => unknown;
  /** Whether it says `boom`. */
  readonly speaks: boolean;
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
  const trap = (): never => {
    throw new Error('trap');
  };
  return Object.defineProperties(error, { message: { get: trap }, stack: { get: trap }, name: { get: trap } });
};

const thrown: readonly Thrown[] = [
  { id: 'error', what: 'an Error', make: () => new Error('boom'), speaks: true },
  { id: 'string', what: 'a string', make: () => 'boom', speaks: true },
  { id: 'undefined', what: 'undefined', make: () => undefined, speaks: false },
  { id: 'null', what: 'null', make: () => null, speaks: false },
  { id: 'object', what: 'a plain object', make: () => ({ code: 'E_BOOM', message: 'boom' }), speaks: true },
  { id: 'frozen', what: 'a frozen Error', make: () => Object.freeze(new Error('boom')), speaks: true },
  { id: 'proxy', what: 'a proxy that throws at every touch', make: hostile, speaks: false },
  { id: 'getter', what: 'an Error whose message throws when it is read', make: withGetter, speaks: false },
];

function throwCase({ id, what, make, speaks }: Thrown): ContractCase {
  return {
    id: `throws-${id}`,
    title: `A tool throws ${what}, beside one that works`,
    expected: speaks ? 'one result each; the model reads what went wrong' : 'one result each; the model reads that it failed',
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
          [speaks ? text.includes('boom') : /fail|error|mistake/i.test(text), 'the model is told that it failed, and what is known'],
          [says(played, 1, /Rain in Oslo/), 'the other result is kept'],
        ],
        {
          own: [[!/\[object|^(?:Error: )?(?:undefined|null)\b/i.test(text), 'the model reads words']],
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
    title: `A tool answers with ${what}`,
    expected: 'the model reads what can be told of it; the run goes on',
    needs: [],
    async observe(stage) {
      const played = await stage.play({ tools: [cityTool('odd', make)], script: [{ calls: [call('odd')] }, done] });
      return judge(stage, played, [
        [says(played, 0, /Oslo/) && says(played, 0, id === 'bigint' ? /12345678901234567890/ : /./), 'what can be told is told'],
        [played.text === 'All done.', 'the run goes on'],
      ]);
    },
  };
}

export const throwCases: readonly ContractCase[] = [
  ...thrown.map(throwCase),
  outputCase('bigint', 'a BigInt in it', () => ({ city: 'Oslo', population: 12345678901234567890n })),
  outputCase('circular', 'an object that contains itself', circular),
];
