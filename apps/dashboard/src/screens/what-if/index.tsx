/** The what-if screen: replays a turn under other settings, and shows what is unknown. */
import { type ReactNode, useEffect, useMemo } from 'react';
import { turnPath } from '../../data/routes.ts';
import { usePathSegment, useUrlState } from '../../data/use-url-state.ts';
import { LiveRegion } from '../../ui/parts.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, ErrorBox, Skeleton } from '../../ui/states.tsx';
import { canReplay, recordedFields } from './recorded.model.ts';
import { useTurn } from '../turn/use-turn.ts';
import { Answer } from './answer.tsx';
import { requestOf, type WhatIfForm, whatIfShape } from './change.model.ts';
import { useWhatIf } from './use-what-if.ts';
import { WhatIfFields } from './what-if-form.tsx';
import style from './what-if.module.css';

export function WhatIf(): ReactNode {
  const turnId = usePathSegment(1);
  const [{ run: given, ...form }, change] = useUrlState(whatIfShape);
  const run = given === 0 ? undefined : given;
  const turn = useTurn(turnId, run);
  const { answer, problem, asking, ask } = useWhatIf(turnId, run);
  const { view, state } = turn;
  const key = JSON.stringify(form);
  const ready = state === 'completed' || state === 'interrupted';
  // The request comes from the URL, so a shared link shows the same result.
  useEffect(() => {
    if (ready) ask(requestOf(JSON.parse(key) as WhatIfForm));
  }, [ready, key, ask]);
  const tools = useMemo(
    () => [...new Set(view.calls.flatMap(({ toolName, alternatives }) => [toolName, ...alternatives]))].toSorted(),
    [view],
  );
  const changed = !('problem' in requestOf(form));
  return (
    <Page
      title="What if"
      crumbs={[
        { to: '/turns', text: 'Turns' },
        { to: turnPath(turnId, { run }), text: turnId },
      ]}
    >
      {turn.problem && <ErrorBox problem={turn.problem} onRetry={turn.retry} />}
      {view.status === 'empty' && turn.loading && <Skeleton height="50vh" />}
      {state === 'running' && <Empty title="The turn is still running. It can be replayed when it has ended." />}
      {ready && !canReplay(view) && (
        <Empty title="This call was recorded without its settings, by an older version, so it cannot be replayed." />
      )}
      {ready && canReplay(view) && (
        <div className={style['screen']}>
          <WhatIfFields
            key={key}
            form={form}
            tools={tools}
            recorded={recordedFields(view, form.tool)}
            asking={asking}
            onAsk={(next) => change(next, { push: true })}
          />
          <div aria-busy={asking}>
            {problem && <ErrorBox problem={problem} />}
            {changed && answer && !problem && <Answer answer={answer} recorded={view} run={run} />}
            {changed && !answer && !problem && <Skeleton height="50vh" />}
            {!changed && (
              <Empty title="No settings are changed.">
                <p>
                  Change a setting and replay the turn: the engine repeats its decisions on the recorded attempts. Attempts that were never
                  made are unknown; the result shows how many, and the worst and best case.
                </p>
              </Empty>
            )}
            <LiveRegion text={asking ? '' : changed && answer ? `Replayed: ${answer.replayed.outcome}.` : ''} />
          </div>
        </div>
      )}
    </Page>
  );
}
