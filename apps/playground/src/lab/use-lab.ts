/** Owns the state of the simulations: what ran last, what runs now, and the calls that were asked for. */
import type { Problem } from '@holdfast/manifest/lab';
import type { Comparison } from '@holdfast/simulate';
import { useEffect, useRef, useState } from 'react';
import { createLabClient, type LabClient } from './client.ts';
import type { Job, Response, TurnEvents } from './job.ts';

interface LabState {
  /** Of the last job that ran to its end, or of the present one as far as it is. */
  readonly comparisons: readonly Comparison[];
  readonly durationMs: number;
  /** Share of the runs that are done; `undefined` when nothing runs. */
  readonly progress: number | undefined;
  readonly worldProblems: readonly Problem[];
  readonly policyProblems: readonly Problem[];
  readonly failure: string;
  readonly calls: { readonly policy: string; readonly second: number; readonly turns: readonly TurnEvents[] | undefined } | undefined;
}

const initial: LabState = {
  comparisons: [],
  durationMs: 0,
  progress: undefined,
  worldProblems: [],
  policyProblems: [],
  failure: '',
  calls: undefined,
};

const pauseMs = 300;

export interface Lab extends LabState {
  readonly showCalls: (policy: string, second: number) => void;
}

/** Runs a job when it changes, after a pause in which it may change again. An invalid text keeps the last figures. */
export function useLab(job: Job): Lab {
  const [state, setState] = useState(initial);
  const runs = useRef<LabClient>(undefined);
  const calls = useRef<LabClient>(undefined);
  const key = JSON.stringify(job);

  useEffect(() => {
    runs.current = createLabClient((response) => setState((before) => next(before, response)));
    calls.current = createLabClient((response) => setState((before) => withCalls(before, response)));
    return () => {
      runs.current?.close();
      calls.current?.close();
    };
  }, []);

  useEffect(() => {
    const timer = setTimeout(() => {
      setState((before) => ({ ...before, progress: 0, failure: '', calls: undefined }));
      runs.current?.ask({ kind: 'run', job: JSON.parse(key) as Job });
    }, pauseMs);
    return () => clearTimeout(timer);
  }, [key]);

  const showCalls = (policy: string, second: number): void => {
    setState((before) => ({ ...before, calls: { policy, second, turns: undefined } }));
    calls.current?.ask({ kind: 'calls', job, policy, second });
  };
  return { ...state, showCalls };
}

function next(before: LabState, response: Response): LabState {
  switch (response.kind) {
    case 'progress':
      return {
        ...before,
        progress: response.done / response.total,
        ...(response.done === 0 ? { worldProblems: [], policyProblems: [] } : {}),
      };
    case 'comparison': {
      // The first result replaces those of the job before.
      const kept = response.position === 0 ? [] : before.comparisons;
      return { ...before, comparisons: [...kept, response.comparison], durationMs: response.durationMs };
    }
    case 'invalid':
      return {
        ...before,
        progress: undefined,
        worldProblems: response.of === 'world' ? response.problems : [],
        policyProblems: response.of === 'policy' ? response.problems : [],
      };
    case 'failed':
      return { ...before, progress: undefined, failure: response.message };
    case 'done':
      return { ...before, progress: undefined };
    case 'calls':
      return before;
  }
}

function withCalls(before: LabState, response: Response): LabState {
  if (response.kind === 'failed') return { ...before, failure: response.message, calls: undefined };
  return response.kind === 'calls' && before.calls ? { ...before, calls: { ...before.calls, turns: response.turns } } : before;
}
