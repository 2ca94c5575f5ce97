/** Every acceptance test is observed: what the services, runs and sessions of all of them answer is compared with the documents (`observer.ts`). */
import { ErrorHandler, ToolExecutionService } from '@holdfast/core';
import { AgentRun, Session } from '@holdfast/core/agent';
import { afterEach } from 'vitest';
import {
  checkSessions,
  expectAnswer,
  expectAnswers,
  expectDecision,
  expectResult,
  expectResults,
  expectTurn,
  noteSession,
  observe,
  takeFlaws,
} from './observer.ts';

type Method = (this: unknown, ...given: readonly unknown[]) => unknown;

/** Replaces a method by one that answers the same, and has each answer checked. Files share a process: a method is replaced once. */
function observed(of: { readonly prototype: object }, name: string, check: (answer: never, first: never) => void): void {
  const methods = of.prototype as Record<string, Method & { isObserved?: boolean }>;
  const original = methods[name];
  if (original === undefined) throw new Error(`There is no method ${name}`);
  if (original.isObserved) return;
  const replaced: Method & { isObserved?: boolean } = function (...given) {
    const answer = original.call(this, ...given);
    // What is not awaited by a test is not awaited here.
    void Promise.resolve(answer).then(
      (value) => observe(() => check(value as never, given[0] as never)),
      () => undefined,
    );
    return answer;
  };
  replaced.isObserved = true;
  methods[name] = replaced;
}

observed(ToolExecutionService, 'executeTool', expectResult);
observed(ToolExecutionService, 'executeToolBatch', expectResults);
observed(ToolExecutionService, 'executeTurn', expectTurn);
observed(ErrorHandler, 'handle', expectDecision);
observed(AgentRun, 'answer', expectAnswers);
observed(AgentRun, 'answerOne', expectAnswer);

const sessionMethods = Session.prototype as { append: Session['append'] & { isObserved?: boolean } };
if (!sessionMethods.append.isObserved) {
  const { append } = sessionMethods;
  sessionMethods.append = function (this: Session, body) {
    noteSession(this);
    return append.call(this, body);
  };
  sessionMethods.append.isObserved = true;
}

afterEach(() => {
  checkSessions();
  const [flaw] = takeFlaws();
  if (flaw !== undefined) throw flaw;
});
