/** A hook that runs one action on the gateway at a time. */
import { useState } from 'react';
import type { Problem } from '../../data/problem.ts';
import { request, type RequestOptions } from '../../data/request.ts';

export interface Action {
  readonly running: boolean;
  readonly problem?: Problem | undefined;
  /** Resolves with the response; `undefined` if it failed or another action is running. */
  readonly run: <T>(path: string, options: RequestOptions) => Promise<T | undefined>;
  readonly reset: () => void;
}

export function useAction(): Action {
  const [running, setRunning] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  return {
    running,
    problem,
    run: async <T>(path: string, options: RequestOptions): Promise<T | undefined> => {
      if (running) return undefined;
      setRunning(true);
      setProblem(undefined);
      const answer = await request<T>(path, options);
      setRunning(false);
      setProblem(answer.problem);
      return answer.data;
    },
    reset: () => setProblem(undefined),
  };
}
