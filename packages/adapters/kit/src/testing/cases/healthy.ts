/** Owns the cases in which nothing is wrong: then Holdfast is not to be noticed. */
import type { ContractCase, Observation } from '../contract-case.ts';
import { judge } from '../contract-case.ts';
import type { Scene, Stage } from '../stage.ts';
import { call, cityTool, done } from './tools.ts';

const outputs: readonly unknown[] = ['wet 🌧', { sky: 'grey', wind: { speed: 7, gusts: [9, 11] } }, ['a', { b: null }], 42.5, false, null];

const scene = (streaming: boolean): Scene => ({
  tools: outputs.map((output, index) => cityTool(`tool_${index}`, () => output)),
  script: [{ text: 'Looking.', calls: outputs.map((_, index) => call(`tool_${index}`, 'Zürich')) }, { calls: [call('tool_0')] }, done],
  streaming,
});

/** Bare and wrapped are played; they may differ in nothing the provider sees. */
async function unchanged(stage: Stage, streaming: boolean): Promise<Observation> {
  const bare = await stage.play(scene(streaming), false);
  const given = scene(streaming);
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
    title: 'Tools that work: texts, objects, lists, numbers, nothing',
    expected: 'what the provider and the caller see is the same, to the letter, as without Holdfast',
    needs: [],
    observe: (stage) => unchanged(stage, false),
  },
  {
    id: 'healthy-streaming',
    title: 'The same, streamed',
    expected: 'the same, to the letter, as without Holdfast',
    needs: ['streaming'],
    observe: (stage) => unchanged(stage, true),
  },
];
