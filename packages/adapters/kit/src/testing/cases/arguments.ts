/** Owns the cases in which the model calls wrongly: tools that are not there, arguments that do not fit or cannot be read. */
import type { ScriptedCall, ScriptStep } from '@holdfast/provider-double';
import type { ContractCase } from '../contract-case.ts';
import { judge } from '../contract-case.ts';
import { toolResults } from '../stage.ts';
import { call, done, says, weather } from './tools.ts';

const wrong: ScriptedCall = { name: 'get_weather', arguments: { town: 12 } };
const asWritten = (text: string): ScriptedCall => ({ name: 'get_weather', arguments: text });

function malformedCase(id: string, title: string, streaming: boolean): ContractCase {
  return {
    id,
    title,
    expected: 'the tool runs with what was meant, and that is what the next request says was called',
    needs: streaming ? ['raw_arguments', 'streaming'] : ['raw_arguments'],
    added: true,
    async observe(stage) {
      const script = [{ calls: [asWritten("{'city': 'Oslo',}")] }, done];
      const played = await stage.play({ tools: [weather()], script, streaming });
      const replayed = JSON.stringify(played.requests.at(-1)?.body ?? '').replaceAll('\\', '');
      return judge(
        stage,
        played,
        [
          [says(played, 0, /Rain in Oslo/), 'the tool runs with what was meant'],
          [replayed.includes('{"city":"Oslo"}') && !replayed.includes("'city'"), 'what is replayed is what was executed'],
        ],
        { traced: ['ArgumentsRepaired'] },
      );
    },
  };
}

export const argumentCases: readonly ContractCase[] = [
  {
    id: 'unknown-tool',
    title: 'A call of a tool that does not exist, beside one that does',
    expected: 'one result each; the run goes on',
    needs: [],
    async observe(stage) {
      const tool = weather();
      const played = await stage.play({ tools: [tool], script: [{ calls: [call('get_wether'), call('get_weather')] }, done] });
      return judge(stage, played, [
        [says(played, 0, /get_wether/), 'the model is told which tool it called'],
        [says(played, 1, /Rain in Oslo/), 'the other result is kept'],
        [played.text === 'All done.', 'the run goes on'],
      ]);
    },
  },
  {
    id: 'unknown-tool-advice',
    title: 'A call of a tool whose name is almost right',
    expected: 'the model reads which tool it may have meant',
    needs: ['unknown_tools'],
    added: true,
    async observe(stage) {
      const played = await stage.play({ tools: [weather()], script: [{ calls: [call('get_wether')] }, done] });
      return judge(stage, played, [[says(played, 0, /get_weather/), 'the model is told the right name']]);
    },
  },
  {
    id: 'bad-arguments',
    title: 'Arguments that do not fit the schema, then ones that do',
    expected: 'the tool is not run with the wrong ones; the model reads which field is wrong; the corrected call succeeds',
    needs: [],
    async observe(stage) {
      const tool = weather();
      const played = await stage.play({ tools: [tool], script: [{ calls: [wrong] }, { calls: [call('get_weather')] }, done] });
      return judge(
        stage,
        played,
        [
          [tool.runs.length === 1, 'the tool runs once'],
          [says(played, 0, /city/), 'the model is told the field'],
          [says(played, 1, /Rain in Oslo/), 'the corrected call succeeds'],
        ],
        { own: [[!says(played, 0, /\\?"(?:code|path)\\?":/), 'the model is told in words, not in a dump of issues']] },
      );
    },
  },
  {
    id: 'corrected-at-last',
    title: 'Wrong arguments twice, then right ones',
    expected: 'the third attempt succeeds; every attempt is in the trace',
    needs: ['invalid_arguments'],
    async observe(stage) {
      const tool = weather();
      const script = [{ calls: [wrong] }, { calls: [{ name: 'get_weather', arguments: {} }] }, { calls: [call('get_weather')] }, done];
      const played = await stage.play({ tools: [tool], script });
      const scheduled = played.events.filter(({ event_type }) => event_type === 'ValidationRetryScheduled').length;
      return judge(stage, played, [[tool.runs.length === 1 && says(played, 2, /Rain in Oslo/), 'the third attempt succeeds']], {
        own: [[scheduled === 2, 'two attempts are in the trace']],
        traced: ['ValidationRecovered'],
      });
    },
  },
  {
    id: 'never-corrected',
    title: 'Wrong arguments for ever',
    expected: 'after three attempts the run is stopped, and says why',
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
  malformedCase('malformed-json', 'Arguments in broken JSON whose meaning is clear', false),
  malformedCase('malformed-json-streaming', 'The same, streamed', true),
  {
    id: 'unreadable-arguments',
    title: 'Arguments that could mean two things, beside a call that works',
    expected: 'not guessed: the tool is not run with them, the model is asked for one object, the other result is kept',
    needs: ['raw_arguments'],
    async observe(stage) {
      const tool = weather();
      const script = [{ calls: [asWritten('{"city":"Oslo"} {"city":"Rome"}'), call('get_weather', 'Bern')] }, done];
      const played = await stage.play({ tools: [tool], script });
      return judge(stage, played, [
        [JSON.stringify(tool.runs) === '[{"city":"Bern"}]', 'only the readable call is run'],
        [says(played, 0, /arguments|JSON/i), 'the model is told what is wrong'],
        [says(played, 1, /Rain in Bern/), 'the other result is kept'],
        [toolResults(played).length === 2, 'there is one result per call'],
      ]);
    },
  },
  {
    id: 'truncated',
    title: 'An answer that was cut off in the arguments of a call',
    expected: 'never run; the model reads that its answer was cut off',
    needs: ['raw_arguments', 'truncation'],
    async observe(stage) {
      const tool = weather();
      const script = [{ calls: [asWritten('{"city":"Os')], finish: 'length' }, done];
      const played = await stage.play({ tools: [tool], script });
      return judge(
        stage,
        played,
        [
          [tool.runs.length === 0, 'the tool is not run'],
          [says(played, 0, /cut off|truncat|length|incomplete|JSON|invalid/i), 'the model is told that it cannot be used'],
        ],
        { own: [[says(played, 0, /cut off/), 'the model is told why']] },
      );
    },
  },
];
