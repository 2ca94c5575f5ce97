/** Owns the cases about time: tools that never end, a caller who leaves, a turn whose time is up, calls that wait for each other. */
import type { ReliableOptions } from '../../options.ts';
import type { ContractCase } from '../contract-case.ts';
import { judge } from '../contract-case.ts';
import type { Stage } from '../stage.ts';
import { toolResults } from '../stage.ts';
import { call, cityTool, done, hang, says, wait, weather } from './tools.ts';

/** Real time until a conversation counts as hanging. With Holdfast, a busy machine must not look like a broken promise. */
const soon = ({ wrapped }: Stage): number => (wrapped ? 10_000 : 3_000);

const after = (first: string, second: string): ReliableOptions => ({
  dependsOn: (own, siblings) =>
    own.toolName === second ? siblings.filter(({ toolName }) => toolName === first).map(({ callId }) => callId) : [],
});

function abortCase(id: string, title: string, streaming: boolean): ContractCase {
  return {
    id,
    title,
    expected: 'the caller is answered at once; the model is not asked again',
    needs: streaming ? ['caller_abort', 'streaming'] : ['caller_abort'],
    async observe(stage) {
      let begun: () => void = () => undefined;
      const abortAfter = new Promise<void>((resolve) => {
        begun = resolve;
      });
      const stuck = cityTool('stuck', () => {
        begun();
        return hang();
      });
      const script = [{ calls: [call('stuck')] }, done];
      const played = await stage.play({ tools: [stuck], script, streaming, abortAfter, limitMs: soon(stage) });
      return judge(
        stage,
        played,
        [
          [played.tookMs < 3_000, 'the caller is answered at once'],
          [played.requests.length === 1, 'the model is not asked again'],
        ],
        {
          mayReject: true,
          own: [[/"CANCELLED"|TurnCancelled/.test(JSON.stringify(played.events)), 'the trace says that it was cancelled']],
        },
      );
    },
  };
}

export const timeCases: readonly ContractCase[] = [
  {
    id: 'timeout',
    title: 'A tool with a time limit never ends and ignores that it should, beside one that works',
    expected: 'at its limit the model reads that time was up; the other result is kept',
    needs: [],
    async observe(stage) {
      const stuck = cityTool('stuck', hang);
      const options = { tools: { stuck: { timeoutMs: 150, retry: { maxAttempts: 1 } } } };
      const script = [{ calls: [call('stuck'), call('get_weather')] }, done];
      const played = await stage.play({ tools: [stuck, weather()], script, options, limitMs: soon(stage) });
      return judge(
        stage,
        played,
        [
          [says(played, 0, /tim(e|ed) ?out|time/i), 'the model is told that time was up'],
          [says(played, 1, /Rain in Oslo/), 'the other result is kept'],
        ],
        { traced: ['ToolTimeout'] },
      );
    },
  },
  abortCase('caller-abort', 'The caller cancels while a tool runs that ignores it', false),
  abortCase('caller-abort-streaming', 'The same, streamed', true),
  {
    id: 'turn-deadline',
    title: 'A turn with a time limit: one call is done, two never end',
    expected: 'at the limit of the turn the model reads what there is, and that time was up for the others',
    needs: ['turn_deadline', 'parallel_calls'],
    added: true,
    async observe(stage) {
      const stuck = [cityTool('stuck_a', hang), cityTool('stuck_b', hang)];
      const script = [{ calls: [call('get_weather'), call('stuck_a'), call('stuck_b')] }, done];
      const options = { turn: { timeoutMs: 300 } };
      const played = await stage.play({ tools: [...stuck, weather()], script, options, limitMs: soon(stage) });
      return judge(stage, played, [
        [says(played, 0, /Rain in Oslo/), 'the result that is there is kept'],
        [says(played, 1, /deadline|time/i) && says(played, 2, /deadline|time/i), 'the others are told as out of time'],
      ]);
    },
  },
  {
    id: 'dependency-order',
    title: 'Two calls of one answer, the first needs the second',
    expected: 'it waits for it; the results are in the order of the calls',
    needs: ['dependencies', 'parallel_calls'],
    added: true,
    async observe(stage) {
      const log: string[] = [];
      const search = cityTool('search', async () => {
        await wait(60);
        log.push('found');
        return 'found';
      });
      const book = cityTool('book', () => {
        log.push('booked');
        return 'booked';
      });
      const script = [{ calls: [call('book'), call('search')] }, done];
      const played = await stage.play({ tools: [search, book], script, options: after('search', 'book') });
      return judge(stage, played, [
        [log.join() === 'found,booked', 'the needed call runs first'],
        [says(played, 0, /booked/) && says(played, 1, /found/), 'the results are in the order of the calls'],
      ]);
    },
  },
  {
    id: 'dependency-failed',
    title: 'Two calls of one answer, the second needs the first, which fails',
    expected: 'the second is not run, and the model reads why',
    needs: ['dependencies', 'parallel_calls'],
    added: true,
    async observe(stage) {
      const search = cityTool('search', () => {
        throw Object.assign(new Error('No such city'), { status: 404 });
      });
      const book = cityTool('book', () => 'booked');
      const script = [{ calls: [call('search'), call('book')] }, done];
      const played = await stage.play({ tools: [search, book], script, options: after('search', 'book') });
      return judge(stage, played, [
        [book.runs.length === 0, 'the second is not run'],
        [toolResults(played).length === 2 && says(played, 1, /not run/i), 'the model is told why'],
      ]);
    },
  },
];
