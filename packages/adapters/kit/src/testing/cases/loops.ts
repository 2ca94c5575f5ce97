/** Owns the cases in which a model does not learn: the same failing call again and again. */
import type { NeutralRequest, ScriptedTurn } from '@holdfast/provider-double';
import type { ContractCase } from '../contract-case.ts';
import { judge } from '../contract-case.ts';
import { call, cityTool, done, says } from './tools.ts';

const noCity = (): never => {
  throw Object.assign(new Error('No such city'), { status: 404 });
};

const again =
  (times: number) =>
  (_request: NeutralRequest, turn: number): ScriptedTurn =>
    turn < times ? { calls: [call('find')] } : done;

export const loopCases: readonly ContractCase[] = [
  {
    id: 'identical-failures',
    title: 'The same failing call, five times',
    expected: 'run three times at most; the model reads that it should do something else',
    needs: [],
    added: true,
    async observe(stage) {
      const find = cityTool('find', noCity);
      const played = await stage.play({ tools: [find], script: again(5), maxAnswers: 12 });
      return judge(stage, played, [[find.runs.length <= 3, 'it is run three times at most']], {
        own: [[says(played, 2, /will not be run again|change the arguments/i), 'the model is told after the third']],
      });
    },
  },
  {
    id: 'identical-failures-for-ever',
    title: 'The same failing call, for ever',
    expected: 'the run is stopped, and says why',
    needs: ['stopping'],
    added: true,
    async observe(stage) {
      const find = cityTool('find', noCity);
      const played = await stage.play({ tools: [find], script: again(100), maxAnswers: 14 });
      return judge(
        stage,
        played,
        [
          [find.runs.length <= 3, 'it is run three times at most'],
          [played.requests.length < 14, 'the loop ends'],
        ],
        {
          own: [[played.stopped?.reason === 'repeated_failure', 'the caller is told why']],
          traced: ['AgentCallRefused', 'AgentRunStopped'],
        },
      );
    },
  },
  {
    id: 'dead-tool-for-ever',
    title: 'A tool that is down is called for ever, each time with other arguments',
    expected: 'the run is stopped, and says why',
    needs: ['stopping'],
    added: true,
    async observe(stage) {
      const down = cityTool('down', () => {
        throw Object.assign(new Error('Service unavailable'), { status: 503 });
      });
      const script = (_request: NeutralRequest, turn: number): ScriptedTurn => ({ calls: [call('down', `City ${turn}`)] });
      const options = { tools: { down: { breaker: { failureThreshold: 3 } } } };
      const played = await stage.play({ tools: [down], script, options, maxAnswers: 20 });
      return judge(
        stage,
        played,
        [
          [down.runs.length <= 3, 'it is run until its circuit opens'],
          [played.requests.length < 20, 'the loop ends'],
        ],
        { own: [[played.stopped?.reason === 'too_many_refusals', 'the caller is told why']], traced: ['AgentRunStopped'] },
      );
    },
  },
];
