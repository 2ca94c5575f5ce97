/** A hook that requests a what-if from the gateway. */
import type { WhatIfAnswer } from '@holdfast/gateway/contract';
import { useCallback, useEffect, useRef, useState } from 'react';
import { type Problem, problemOf } from '../../data/problem.ts';
import { headersOf, request } from '../../data/request.ts';
import type { ReadRequest } from './change.model.ts';

interface WhatIfState {
  readonly answer?: WhatIfAnswer;
  readonly problem?: Problem;
  readonly asking: boolean;
}

export interface WhatIfQuery extends WhatIfState {
  readonly ask: (what: ReadRequest) => void;
}

export function useWhatIf(turnId: string, run: number | undefined): WhatIfQuery {
  const [state, setState] = useState<WhatIfState>({ asking: false });
  const own = useRef<AbortController>(undefined);
  useEffect(() => () => own.current?.abort(), []);
  const ask = useCallback(
    (what: ReadRequest) => {
      if ('problem' in what) return;
      own.current?.abort();
      const mine = new AbortController();
      own.current = mine;
      setState((before) => ({ ...before, asking: true }));
      const path = `/v1/turns/${encodeURIComponent(turnId)}/what-if${run === undefined ? '' : `?run=${run}`}`;
      const response =
        'request' in what
          ? request<WhatIfAnswer>(path, { method: 'POST', body: what.request, signal: mine.signal })
          : sendText(path, what.text, mine.signal);
      void response
        .then((answer) => {
          if (mine.signal.aborted) return;
          setState(answer.problem ? { problem: answer.problem, asking: false } : { answer: answer.data, asking: false });
        })
        .catch(() => undefined);
    },
    [turnId, run],
  );
  return { ...state, ask };
}

/** Sends the text as YAML, which includes JSON. */
async function sendText(
  path: string,
  body: string,
  signal: AbortSignal,
): Promise<{ readonly data: WhatIfAnswer; readonly problem?: undefined } | { readonly problem: Problem }> {
  const headers = { accept: 'application/json', 'content-type': 'application/yaml', ...headersOf() };
  const response = await fetch(path, { method: 'POST', headers, body, signal, cache: 'no-store', credentials: 'omit' });
  const parsed: unknown = await response.json();
  return response.ok ? { data: parsed as WhatIfAnswer } : { problem: problemOf(response.status, parsed) };
}
