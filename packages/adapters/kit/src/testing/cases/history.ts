/** Owns the cases of conversations that start with messages a provider refuses, as left behind by interruptions, crashes and other programs. */
import type { ContractCase } from '../contract-case.ts';
import { judge } from '../contract-case.ts';
import type { HistoryMessage } from '../harness.ts';
import { call, done, weather } from './tools.ts';

const asked: HistoryMessage = { role: 'user', text: 'Weather in Oslo?' };
const calling = (...ids: readonly string[]): HistoryMessage => ({
  role: 'assistant',
  text: '',
  calls: ids.map((id) => ({ id, name: 'get_weather', arguments: { city: 'Oslo' } })),
});
const result = (callId: string, text = 'Sun in Oslo.'): HistoryMessage => ({ role: 'tool', callId, toolName: 'get_weather', text });
const answered: HistoryMessage = { role: 'assistant', text: 'It is sunny.' };

interface BrokenHistory {
  readonly id: string;
  readonly what: string;
  readonly history: readonly HistoryMessage[];
  /** Whether the history contains a real result that must be kept. */
  readonly keeps: boolean;
  /** Formats in which this history is valid. */
  readonly fineIn?: readonly string[];
}

const first = 'call_history00000000000001';
const second = 'call_history00000000000002';

const broken: readonly BrokenHistory[] = [
  { id: 'dangling', what: 'a call without a result', history: [asked, calling(first)], keeps: false },
  { id: 'half-answered', what: 'two calls with one result', history: [asked, calling(first, second), result(second)], keeps: true },
  { id: 'orphan', what: 'a result without its call', history: [asked, answered, result(first), answered], keeps: false },
  {
    id: 'duplicate',
    what: 'two results for one call',
    history: [asked, calling(first), result(first), result(first), answered],
    keeps: true,
  },
  {
    id: 'displaced',
    what: 'a result after a later message',
    history: [asked, calling(first), asked, result(first), answered],
    keeps: true,
    fineIn: ['openai-responses'],
  },
];

function historyCase({ id, what, history, keeps, fineIn = [] }: BrokenHistory): ContractCase {
  return {
    id: `history-${id}`,
    title: `The history has ${what}`,
    expected: 'the provider accepts it; no result is lost; the run continues',
    needs: ['history'],
    async observe(stage) {
      const played = await stage.play({ tools: [weather()], script: [{ calls: [call('get_weather')] }, done], history });
      const texts = played.requests[0]?.neutral.messages.flatMap(({ results }) => results.map(({ text }) => text)) ?? [];
      return judge(
        stage,
        played,
        [
          [!keeps || texts.includes('Sun in Oslo.'), 'the real result is kept'],
          [played.text === 'All done.', 'the run continues'],
        ],
        { traced: fineIn.includes(stage.harness.format) ? [] : ['TranscriptRepaired'] },
      );
    },
  };
}

export const historyCases: readonly ContractCase[] = broken.map(historyCase);
