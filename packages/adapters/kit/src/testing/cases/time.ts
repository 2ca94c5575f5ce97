/** Owns the cases about time: tools that never return, aborts by the caller, turn deadlines, calls that wait for each other. */
import type { ReliableOptions } from '../../options.ts';
import type { ContractCase } from '../contract-case.ts';
import { judge } from '../contract-case.ts';
import type { Stage } from '../stage.ts';
import { toolResults } from '../stage.ts';
import { call, cityTool, done, hang, resultMatches, wait, weather } from './tools.ts';

/** Real time until a conversation counts as hanging. Longer with Holdfast, so that a busy machine does not fail the contract. */
const hangLimitMs = ({ wrapped }: Stage): number => (wrapped ? 10_000 : 3_000);

const after = (first: string, second: string): ReliableOptions => ({
  dependsOn: (own, siblings) =>
    own.toolName === second ? siblings.filter(({ toolName }) => toolName === first).map(({ callId }) => callId) : [],
});

function abortCase(id: string, title: string, streaming: boolean): ContractCase {
  return {
    id,
    title,
    expected: 'the caller gets an answer at once; there is no further request to the model',
    needs: streaming ? ['caller_abort', 'streaming'] : ['caller_abort'],
    async observe(stage) {
      let onStart: () => void = () => undefined;
      const abortAfter = new Promise<void>((resolve) => {
        onStart = resolve;
      });
      const stuck = cityTool('stuck', () => {
        onStart();
        return hang();
      });
      const script = [{ calls: [call('stuck')] }, done];
      const played = await stage.play({ tools: [stuck], script, streaming, abortAfter, limitMs: hangLimitMs(stage) });
      return judge(
        stage,
        played,
        [
          [played.tookMs < 3_000, 'the caller gets an answer at once'],
          [played.requests.length === 1, 'there is no further request to the model'],
        ],
        {
          mayReject: true,
          own: [[/"CANCELLED"|TurnCancelled/.test(JSON.stringify(played.events)), 'the trace shows the cancellation']],
        },
      );
    },
  };
}

export const timeCases: readonly ContractCase[] = [
  {
    id: 'timeout',
    title: 'A tool with a timeout never returns and ignores its signal, next to one that works',
    expected: 'the model is told of the timeout; the other result is kept',
    needs: [],
    async observe(stage) {
      const stuck = cityTool('stuck', hang);
      const options = { tools: { stuck: { timeoutMs: 150, retry: { maxAttempts: 1 } } } };
      const script = [{ calls: [call('stuck'), call('get_weather')] }, done];
      const played = await stage.play({ tools: [stuck, weather()], script, options, limitMs: hangLimitMs(stage) });
      return judge(
        stage,
        played,
        [
          [resultMatches(played, 0, /tim(e|ed) ?out|time/i), 'the model is told of the timeout'],
          [resultMatches(played, 1, /Rain in Oslo/), 'the other result is kept'],
        ],
        { traced: ['ToolTimeout'] },
      );
    },
  },
  abortCase('caller-abort', 'The caller cancels while a tool runs that ignores its signal', false),
  abortCase('caller-abort-streaming', 'The same, streamed', true),
  {
    id: 'turn-deadline',
    title: 'A turn deadline: one call is complete, two never return',
    expected: 'at the deadline the model gets the result, and timeouts for the others',
    needs: ['turn_deadline', 'parallel_calls'],
    added: true,
    async observe(stage) {
      const stuck = [cityTool('stuck_a', hang), cityTool('stuck_b', hang)];
      const script = [{ calls: [call('get_weather'), call('stuck_a'), call('stuck_b')] }, done];
      const options = { turn: { timeoutMs: 300 } };
      const played = await stage.play({ tools: [...stuck, weather()], script, options, limitMs: hangLimitMs(stage) });
      return judge(stage, played, [
        [resultMatches(played, 0, /Rain in Oslo/), 'the available result is kept'],
        [resultMatches(played, 1, /deadline|time/i) && resultMatches(played, 2, /deadline|time/i), 'the others are reported as timed out'],
      ]);
    },
  },
  {
    id: 'dependency-order',
    title: 'Two calls of one answer, the first needs the second',
    expected: 'the first call waits for the second; the results are in the order of the calls',
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
        [log.join() === 'found,booked', 'the dependency runs first'],
        [resultMatches(played, 0, /booked/) && resultMatches(played, 1, /found/), 'the results are in the order of the calls'],
      ]);
    },
  },
  {
    id: 'dependency-failed',
    title: 'Two calls of one answer, the second needs the first, which fails',
    expected: 'the second is not run, and the model is told why',
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
        [toolResults(played).length === 2 && resultMatches(played, 1, /not run/i), 'the model is told why'],
      ]);
    },
  },
];
