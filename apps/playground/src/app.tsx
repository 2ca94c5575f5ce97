import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { useLab } from './lab/use-lab.ts';
import { fromFragment, jobOf, type State, toFragment } from './state/state.ts';
import { PolicyChoice } from './view/policy-choice.tsx';
import { Results } from './view/results.tsx';
import { RunChoice } from './view/run-choice.tsx';
import { WorldChoice } from './view/world-choice.tsx';

export function App(): ReactNode {
  const [state, setState] = useState(() => fromFragment(location.hash));
  const change = (changed: Partial<State>): void => setState((before) => ({ ...before, ...changed }));
  const fragment = toFragment(state);
  const job = useMemo(() => jobOf(state), [state]);
  const lab = useLab(job);

  useEffect(() => {
    history.replaceState(undefined, '', fragment === '' ? location.pathname + location.search : `#${fragment}`);
  }, [fragment]);
  useEffect(() => {
    const read = (): void => setState(fromFragment(location.hash));
    addEventListener('hashchange', read);
    return () => removeEventListener('hashchange', read);
  }, []);

  return (
    <>
      <header>
        <h1>Holdfast playground</h1>
        <p>
          Break a tool, choose policies, and see what becomes of the calls. The engine itself runs in your browser, in simulated time:
          nothing is sent anywhere.
        </p>
      </header>
      <main>
        <div className="choices">
          <WorldChoice state={state} change={change} problems={lab.worldProblems} />
          <PolicyChoice state={state} change={change} problems={lab.policyProblems} />
          <RunChoice state={state} change={change} />
        </div>
        <Results state={state} lab={lab} />
      </main>
    </>
  );
}
