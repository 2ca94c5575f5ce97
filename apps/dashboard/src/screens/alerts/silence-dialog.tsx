/** The form for a silence: which alerts, how long, why. */
import type { AlertItem, Silence } from '@holdfast/gateway/contract';
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField, TextArea } from '../../ui/field.tsx';
import { ErrorBox } from '../../ui/states.tsx';
import style from './alerts.module.css';
import { MatcherFields } from './matcher-fields.tsx';
import { coveredBy, coverText, draftFor, emptyMatcher, nextKey, problemsOf, requestOf, type SilenceDraft, times } from './silence.model.ts';
import { useAction } from './use-action.ts';

export interface SilenceDialogProps {
  /** The alert that prefills the form. */
  readonly alert: AlertItem | undefined;
  readonly alerts: readonly AlertItem[];
  readonly onClose: () => void;
  /** Called with a sentence that describes the result. */
  readonly onDone: (message: string) => void;
}

/** Mount a new instance for each silence. */
export function SilenceDialog({ alert, alerts, onClose, onDone }: SilenceDialogProps): ReactNode {
  const [draft, setDraft] = useState<SilenceDraft>(() => draftFor(alert));
  const [submitted, setSubmitted] = useState(false);
  const action = useAction();
  const formId = useId();
  const problems = problemsOf(draft);
  const covered = coveredBy(draft, alerts);
  const shownProblems = submitted ? problems : undefined;
  const change = (part: Partial<SilenceDraft>): void => setDraft({ ...draft, ...part });
  const send = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setSubmitted(true);
    if (problems) return;
    const silence = await action.run<Silence>('/v1/silences', { method: 'POST', body: requestOf(draft) });
    if (!silence) return;
    onDone(covered.length === 1 ? 'Silenced 1 alert.' : `Silenced ${covered.length} alerts.`);
    onClose();
  };
  return (
    <Dialog
      title="Silence alerts"
      open
      wide
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" icon="silence" type="submit" form={formId} disabledReason={action.running ? 'Sending …' : undefined}>
            Silence
          </Button>
        </>
      }
    >
      <form id={formId} noValidate className={style['form']} onSubmit={(event) => void send(event)}>
        <Matchers draft={draft} alerts={alerts} problems={shownProblems} onChange={change} />
        <SelectField label="Duration" options={times} value={draft.time} onChange={(time) => change({ time })} />
        <TextArea
          label="Comment"
          hint="The reason, for other operators."
          error={shownProblems?.comment}
          value={draft.comment}
          onChange={(comment) => change({ comment })}
          rows={2}
          maxLength={1000}
          required
        />
        {action.problem && <ErrorBox problem={action.problem} />}
      </form>
    </Dialog>
  );
}

interface MatchersProps {
  readonly draft: SilenceDraft;
  readonly alerts: readonly AlertItem[];
  readonly problems: ReturnType<typeof problemsOf>;
  readonly onChange: (part: Partial<SilenceDraft>) => void;
}

function Matchers({ draft, alerts, problems, onChange }: MatchersProps): ReactNode {
  return (
    <fieldset className={style['fieldset']}>
      <legend>Alerts with these labels</legend>
      {draft.matchers.map((matcher) => (
        <MatcherFields
          key={matcher.key}
          matcher={matcher}
          error={problems?.matchers.get(matcher.key)}
          onChange={(changed) => onChange({ matchers: draft.matchers.map((each) => (each.key === changed.key ? changed : each)) })}
          onRemove={
            draft.matchers.length > 1 ? () => onChange({ matchers: draft.matchers.filter(({ key }) => key !== matcher.key) }) : undefined
          }
        />
      ))}
      <div>
        <Button kind="quiet" onClick={() => onChange({ matchers: [...draft.matchers, emptyMatcher(nextKey(draft))] })}>
          Add a label
        </Button>
      </div>
      <p className={style['covered']} aria-live="polite">
        {coverText(draft, alerts)}
      </p>
    </fieldset>
  );
}
