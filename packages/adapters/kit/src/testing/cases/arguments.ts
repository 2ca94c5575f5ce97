/** Owns the cases of wrong calls: unknown tools, invalid or unreadable arguments. */
import type { ScriptedCall, ScriptStep } from '@holdfast/provider-double';
import type { ContractCase } from '../contract-case.ts';
import { judge } from '../contract-case.ts';
import { toolResults } from '../stage.ts';
import { call, done, resultMatches, weather } from './tools.ts';

const wrong: ScriptedCall = { name: 'get_weather', arguments: { town: 12 } };
const rawCall = (text: string): ScriptedCall => ({ name: 'get_weather', arguments: text });

function malformedCase(id: string, title: string, streaming: boolean): ContractCase {
  return {
    id,
    title,
    expected: 'the tool runs with the intended arguments, and the next request contains them',
    needs: streaming ? ['raw_arguments', 'streaming'] : ['raw_arguments'],
    added: true,
    async observe(stage) {
      const script = [{ calls: [rawCall("{'city': 'Oslo',}")] }, done];
      const options = { tools: { get_weather: { effect: 'read' as const } } };
      const played = await stage.play({ tools: [weather()], script, streaming, options });
      const replayed = JSON.stringify(played.requests.at(-1)?.body ?? '').replaceAll('\\', '');
      return judge(
        stage,
        played,
        [
          [resultMatches(played, 0, /Rain in Oslo/), 'the tool runs with the intended arguments'],
          [replayed.includes('{"city":"Oslo"}') && !replayed.includes("'city'"), 'the executed arguments are replayed'],
        ],
        { traced: ['ArgumentsRepaired'] },
      );
    },
  };
}

export const argumentCases: readonly ContractCase[] = [
  {
    id: 'unknown-tool',
    title: 'A call of a tool that does not exist, next to one that does',
    expected: 'one result each; the run continues',
    needs: [],
    async observe(stage) {
      const tool = weather();
      const played = await stage.play({ tools: [tool], script: [{ calls: [call('get_wether'), call('get_weather')] }, done] });
      return judge(stage, played, [
        [resultMatches(played, 0, /get_wether/), 'the model is told which tool it called'],
        [resultMatches(played, 1, /Rain in Oslo/), 'the other result is kept'],
        [played.text === 'All done.', 'the run continues'],
      ]);
    },
  },
  {
    id: 'unknown-tool-advice',
    title: 'A call of a tool with a misspelled name',
    expected: 'the model is told the correct name',
    needs: ['unknown_tools'],
    added: true,
    async observe(stage) {
      const played = await stage.play({ tools: [weather()], script: [{ calls: [call('get_wether')] }, done] });
      return judge(stage, played, [[resultMatches(played, 0, /get_weather/), 'the model is told the correct name']]);
    },
  },
  {
    id: 'bad-arguments',
    title: 'Arguments that do not match the schema, then valid ones',
    expected: 'the tool is not run with the invalid arguments; the model is told the invalid field; the corrected call succeeds',
    needs: [],
    async observe(stage) {
      const tool = weather();
      const played = await stage.play({ tools: [tool], script: [{ calls: [wrong] }, { calls: [call('get_weather')] }, done] });
      return judge(
        stage,
        played,
        [
          [tool.runs.length === 1, 'the tool runs once'],
          [resultMatches(played, 0, /city/), 'the model is told the invalid field'],
          [resultMatches(played, 1, /Rain in Oslo/), 'the corrected call succeeds'],
        ],
        { own: [[!resultMatches(played, 0, /\\?"(?:code|path)\\?":/), 'the model gets a readable message, not a dump of issues']] },
      );
    },
  },
  {
    id: 'corrected-at-last',
    title: 'Invalid arguments twice, then valid ones',
    expected: 'the third attempt succeeds; every attempt is in the trace',
    needs: ['invalid_arguments'],
    async observe(stage) {
      const tool = weather();
      const script = [{ calls: [wrong] }, { calls: [{ name: 'get_weather', arguments: {} }] }, { calls: [call('get_weather')] }, done];
      const played = await stage.play({ tools: [tool], script });
      const scheduled = played.events.filter(({ event_type }) => event_type === 'ValidationRetryScheduled').length;
      return judge(stage, played, [[tool.runs.length === 1 && resultMatches(played, 2, /Rain in Oslo/), 'the third attempt succeeds']], {
        own: [[scheduled === 2, 'two attempts are in the trace']],
        traced: ['ValidationRecovered'],
      });
    },
  },
  {
    id: 'never-corrected',
    title: 'Invalid arguments in every attempt',
    expected: 'after three attempts the run is stopped, and the caller is told why',
    needs: ['invalid_arguments', 'stopping'],
    added: true,
    async observe(stage) {
      const tool = weather();
      const script = (_request: unknown, turn: number): ScriptStep & object => ({
        calls: [{ name: 'get_weather', arguments: { town: turn } }],
      });
      const played = await stage.play({ tools: [tool], script: script as never, maxAnswers: 12 });
      return judge(
        stage,
        played,
        [
          [tool.runs.length === 0, 'the tool never runs'],
          [played.requests.length <= 4, 'the loop ends after three attempts'],
        ],
        {
          own: [[played.stopped?.reason === 'validation_exhausted', 'the caller is told why']],
          traced: ['ValidationRetryExhausted', 'AgentRunStopped'],
        },
      );
    },
  },
  malformedCase('malformed-json', 'Arguments in malformed JSON with a clear meaning, of a tool that only reads', false),
  malformedCase('malformed-json-streaming', 'The same, streamed', true),
  {
    id: 'unreadable-arguments',
    title: 'Ambiguous arguments, next to a valid call',
    expected: 'no guess: the tool is not run, the model is asked for one object, the other result is kept',
    needs: ['raw_arguments'],
    async observe(stage) {
      const tool = weather();
      const script = [{ calls: [rawCall('{"city":"Oslo"} {"city":"Rome"}'), call('get_weather', 'Bern')] }, done];
      const played = await stage.play({ tools: [tool], script });
      return judge(stage, played, [
        [JSON.stringify(tool.runs) === '[{"city":"Bern"}]', 'only the readable call is run'],
        [resultMatches(played, 0, /arguments|JSON/i), 'the model is told what is wrong'],
        [resultMatches(played, 1, /Rain in Bern/), 'the other result is kept'],
        [toolResults(played).length === 2, 'there is one result per call'],
      ]);
    },
  },
  {
    id: 'truncated',
    title: 'An answer that was cut off in the arguments of a call',
    expected: 'the call is never run; the model is told that its answer was cut off',
    needs: ['raw_arguments', 'truncation'],
    async observe(stage) {
      const tool = weather();
      const script = [{ calls: [rawCall('{"city":"Os')], finish: 'length' }, done];
      const played = await stage.play({ tools: [tool], script });
      return judge(
        stage,
        played,
        [
          [tool.runs.length === 0, 'the tool is not run'],
          [
            resultMatches(played, 0, /cut off|truncat|length|incomplete|JSON|invalid/i),
            'the model is told that the arguments are unusable',
          ],
        ],
        { own: [[resultMatches(played, 0, /cut off/), 'the model is told why']] },
      );
    },
  },
];
