/** Owns the cases of repeated failures: the model makes the same failing call again and again. */
import type { NeutralRequest, ScriptedTurn } from '@holdfast/provider-double';
import type { ContractCase } from '../contract-case.ts';
import { judge } from '../contract-case.ts';
import { call, cityTool, done, opening, resultMatches } from './tools.ts';

const noCity = (): never => {
  throw Object.assign(new Error('No such city'), { status: 404 });
};

const repeatCall =
  (times: number) =>
  (_request: NeutralRequest, turn: number): ScriptedTurn =>
    turn < times ? { calls: [call('find')] } : done;

export const loopCases: readonly ContractCase[] = [
  {
    id: 'identical-failures',
    title: 'The same failing call, five times',
    expected: 'run at most three times; the model is told to try something else',
    needs: [],
    added: true,
    async observe(stage) {
      const find = cityTool('find', noCity);
      const played = await stage.play({ tools: [find], script: repeatCall(5), maxAnswers: 12 });
      return judge(stage, played, [[find.runs.length <= 3, 'it is run at most three times']], {
        own: [[resultMatches(played, 2, /will not be run again|change the arguments/i), 'the model is told after the third failure']],
      });
    },
  },
  {
    id: 'identical-failures-for-ever',
    title: 'The same failing call, in every answer',
    expected: 'the run is stopped, and the caller is told why',
    needs: ['stopping'],
    added: true,
    async observe(stage) {
      const find = cityTool('find', noCity);
      const played = await stage.play({ tools: [find], script: repeatCall(100), maxAnswers: 14 });
      return judge(
        stage,
        played,
        [
          [find.runs.length <= 3, 'it is run at most three times'],
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
    title: 'A tool that is down is called in every answer, each time with different arguments',
    expected: 'the run is stopped, and the caller is told why',
    needs: ['stopping'],
    added: true,
    async observe(stage) {
      const down = cityTool('down', () => {
        throw Object.assign(new Error('Service unavailable'), { status: 503 });
      });
      const script = (_request: NeutralRequest, turn: number): ScriptedTurn => ({ calls: [call('down', `City ${turn}`)] });
      const options = { tools: { down: opening } };
      const played = await stage.play({ tools: [down], script, options, maxAnswers: 20 });
      return judge(
        stage,
        played,
        [
          [down.runs.length === 1, 'it is run until its circuit opens'],
          [played.requests.length < 20, 'the loop ends'],
        ],
        { own: [[played.stopped?.reason === 'too_many_refusals', 'the caller is told why']], traced: ['AgentRunStopped'] },
      );
    },
  },
];
