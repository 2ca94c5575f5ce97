/**
 * Owns batching: questions that arrive while a request is in flight go into the next one together. Many callers cost two transactions, not one each.
 */

interface Asked<Question, Answer> {
  readonly questions: readonly Question[];
  readonly resolve: (answers: readonly Answer[]) => void;
  readonly reject: (reason: unknown) => void;
}

/** `ask` returns the answers in the order of the questions. */
export function batchRequests<Question, Answer>(
  ask: (questions: readonly Question[]) => Promise<readonly Answer[]>,
): (questions: readonly Question[]) => Promise<readonly Answer[]> {
  let waiting: Asked<Question, Answer>[] = [];
  let asking = false;

  const askAll = async (): Promise<void> => {
    asking = true;
    while (waiting.length > 0) {
      const all = waiting;
      waiting = [];
      try {
        const answers = await ask(all.flatMap(({ questions }) => questions));
        let at = 0;
        for (const { questions, resolve } of all) {
          resolve(answers.slice(at, at + questions.length));
          at += questions.length;
        }
      } catch (error) {
        for (const { reject } of all) reject(error);
      }
    }
    asking = false;
  };

  return (questions) =>
    new Promise((resolve, reject) => {
      waiting.push({ questions, resolve, reject });
      if (!asking) void askAll();
    });
}
