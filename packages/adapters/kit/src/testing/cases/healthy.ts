/** Owns the cases without failures, in which Holdfast must not change anything. */
import type { ContractCase, Observation } from '../contract-case.ts';
import { judge } from '../contract-case.ts';
import type { Scenario, Stage } from '../stage.ts';
import { call, cityTool, done, wait } from './tools.ts';

const outputs: readonly unknown[] = ['wet 🌧', { sky: 'grey', wind: { speed: 7, gusts: [9, 11] } }, ['a', { b: null }], 42.5, false, null];

const scenario = (streaming: boolean): Scenario => ({
  tools: outputs.map((output, index) => cityTool(`tool_${index}`, () => output)),
  script: [{ text: 'Looking.', calls: outputs.map((_, index) => call(`tool_${index}`, 'Zürich')) }, { calls: [call('tool_0')] }, done],
  streaming,
});

/** Plays the conversation bare and wrapped; the provider must see no difference. */
async function expectUnchanged(stage: Stage, streaming: boolean): Promise<Observation> {
  const bare = await stage.play(scenario(streaming), false);
  const given = scenario(streaming);
  const played = await stage.play(given);
  const bodies = (requests: typeof bare.requests): string => canonical(requests.map(({ body }) => body));
  return judge(stage, played, [
    [bare.ended === 'resolved' && bare.requests.length === 3, `the bare framework plays the conversation (${String(bare.error)})`],
    [bodies(played.requests) === bodies(bare.requests), 'every request is the same as without Holdfast'],
    [played.text === bare.text && played.text === 'All done.', 'the caller gets the same answer'],
  ]);
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );
}

export const healthyCases: readonly ContractCase[] = [
  {
    id: 'healthy',
    title: 'Successful tools that return texts, objects, lists, numbers or nothing',
    expected: 'requests and answers are identical to those without Holdfast',
    needs: [],
    observe: (stage) => expectUnchanged(stage, false),
  },
  {
    id: 'healthy-streaming',
    title: 'The same, streamed',
    expected: 'identical to the behavior without Holdfast',
    needs: ['streaming'],
    observe: (stage) => expectUnchanged(stage, true),
  },
  {
    id: 'fifty-at-once',
    title: 'Fifty calls in one answer',
    expected: 'they run at once, as without Holdfast',
    needs: ['parallel_calls'],
    async observe(stage) {
      let running = 0;
      let most = 0;
      const slow = cityTool('slow', async ({ city }) => {
        most = Math.max(most, (running += 1));
        await wait(50);
        running -= 1;
        return city;
      });
      const calls = Array.from({ length: 50 }, (_, index) => call('slow', `City ${index}`));
      const played = await stage.play({ tools: [slow], script: [{ calls }, done] });
      return judge(stage, played, [
        [most === 50, 'all calls run at once'],
        [played.text === 'All done.', 'the caller gets the answer'],
      ]);
    },
  },
];
