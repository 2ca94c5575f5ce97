/** Conversations as plans, from which valid transcripts of every format are generated. */
import fc from 'fast-check';

interface PlannedCall {
  readonly name: string;
  readonly input: Readonly<Record<string, string | number>>;
  readonly output: string;
  readonly failed: boolean;
}

interface Step {
  readonly text: string | undefined;
  readonly reasoning: boolean;
  readonly calls: readonly PlannedCall[];
}

/** The message of the user, and the steps of the model until it answers. */
interface Round {
  readonly user: string;
  readonly steps: readonly Step[];
  readonly answer: string;
}

export interface Plan {
  readonly rounds: readonly Round[];
  /** Whether the last round ends with the results of its last step. */
  readonly open: boolean;
  readonly seed: number;
}

const word = fc.constantFrom('weather', 'next', 'ok', 'Paris', 'über 20 °C', '{"a":1}', 'a\nb', '👋', 'tool_use');
const call: fc.Arbitrary<PlannedCall> = fc.record({
  name: fc.constantFrom('get_weather', 'search', 'write-file'),
  input: fc.dictionary(fc.constantFrom('city', 'days', 'path'), fc.oneof(word, fc.integer({ min: 0, max: 9 })), { maxKeys: 2 }),
  output: word,
  failed: fc.boolean(),
});
const step: fc.Arbitrary<Step> = fc.record({
  text: fc.option(word, { nil: undefined }),
  reasoning: fc.boolean(),
  calls: fc.array(call, { minLength: 1, maxLength: 3 }),
});
const round: fc.Arbitrary<Round> = fc.record({ user: word, steps: fc.array(step, { maxLength: 3 }), answer: word });

export const plans: fc.Arbitrary<Plan> = fc.record({
  rounds: fc.array(round, { minLength: 1, maxLength: 3 }),
  open: fc.boolean(),
  seed: fc.nat(1_000_000),
});

/** A step with its position: whether the conversation ends after its results, and the numbers of its calls. */
export interface PlacedStep extends Step {
  readonly number: number;
  readonly firstCall: number;
}

export interface Writer {
  user: (text: string) => void;
  step: (step: PlacedStep) => void;
  answer: (text: string) => void;
}

/** Visits a plan in order. A conversation ends with the user or with results. */
export function follow({ rounds, open }: Plan, writer: Writer): void {
  let number = 0;
  let firstCall = 0;
  rounds.forEach(({ user, steps, answer }, index) => {
    writer.user(user);
    for (const each of steps) {
      writer.step({ ...each, number, firstCall });
      number += 1;
      firstCall += each.calls.length;
    }
    const last = index === rounds.length - 1;
    if (last && (open || steps.length === 0)) return;
    writer.answer(answer);
    if (last) writer.user('and then?');
  });
}
