/** The form for the changed settings: of one tool or all tools, and of the turn. Empty fields are as recorded. */
import { type FormEvent, type ReactNode, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Check, SelectField, TextArea, TextField } from '../../ui/field.tsx';
import { Disclosure } from '../../ui/parts.tsx';
import { emptyForm, fieldProblem, type NumberField, requestOf, type WhatIfForm } from './change.model.ts';
import style from './what-if.module.css';

export interface WhatIfFormProps {
  readonly form: WhatIfForm;
  readonly tools: readonly string[];
  /** The recorded values by field, shown as placeholders. */
  readonly recorded: Readonly<Partial<Record<NumberField, string>>>;
  readonly asking: boolean;
  readonly onAsk: (form: WhatIfForm) => void;
}

/** The field, its label and its hint. */
type LabelledField = readonly [NumberField, string, string?];

const ofTool: readonly LabelledField[] = [
  ['max_attempts', 'Maximum attempts', 'including the first'],
  ['initial_delay_ms', 'Initial delay, ms'],
  ['max_delay_ms', 'Maximum delay, ms'],
  ['max_total_time_ms', 'Retry time, ms', 'retries start within, from the first failure'],
  ['timeout_ms', 'Timeout per attempt, ms'],
  ['failure_threshold', 'Circuit failure threshold', 'failures in a row'],
];

const ofTurn: readonly LabelledField[] = [
  ['turn_timeout_ms', 'Deadline, ms'],
  ['turn_max_retries', 'Maximum retries'],
];

export function WhatIfFields({ form: given, tools, recorded, asking, onAsk }: WhatIfFormProps): ReactNode {
  const [form, setForm] = useState(given);
  const set = (change: Partial<WhatIfForm>): void => setForm((before) => ({ ...before, ...change }));
  const read = requestOf(form);
  const send = (event: FormEvent): void => {
    event.preventDefault();
    if (!('problem' in read)) onAsk(form);
  };
  const field = (labelled: LabelledField): ReactNode => (
    <NumberInput key={labelled[0]} field={labelled} form={form} recorded={recorded} onChange={set} />
  );
  return (
    <form className={style['form']} onSubmit={send} aria-label="Settings to change">
      <fieldset className={style['fields']}>
        <legend>Tools</legend>
        <SelectField
          label="Tool"
          value={form.tool}
          onChange={(tool) => set({ tool })}
          options={[{ id: '', title: 'All tools' }, ...tools.map((name) => ({ id: name, title: name }))]}
        />
        {ofTool.map(field)}
        <Check label="Accept partial output" checked={form.accept_partial} onChange={(accept) => set({ accept_partial: accept })} />
      </fieldset>
      <fieldset className={style['fields']}>
        <legend>Turn</legend>
        {ofTurn.map(field)}
      </fieldset>
      <Disclosure summary="Other settings, as YAML or JSON" open={hasRaw(form)}>
        <TextArea
          label="Settings"
          hint="Keys: policy (all tools), tools (by name) and turn, with settings as in a manifest. Takes precedence over the fields."
          rows={7}
          spellCheck={false}
          placeholder={'tools:\n  flight_search:\n    retry_policy: { max_attempts: 2 }'}
          value={form.raw}
          onChange={(text) => set({ raw: text })}
        />
      </Disclosure>
      <div className={style['send']}>
        <Button type="submit" kind="primary" icon="flask" disabledReason={'problem' in read ? read.problem : undefined}>
          {asking ? 'Replaying …' : 'Replay'}
        </Button>
        <Button
          kind="quiet"
          onClick={() => {
            setForm(emptyForm);
            onAsk(emptyForm);
          }}
        >
          Reset
        </Button>
      </div>
    </form>
  );
}

interface NumberInputProps {
  readonly field: LabelledField;
  readonly form: WhatIfForm;
  readonly recorded: WhatIfFormProps['recorded'];
  readonly onChange: (change: Partial<WhatIfForm>) => void;
}

function NumberInput({ field: [name, label, hint], form, recorded, onChange }: NumberInputProps): ReactNode {
  return (
    <TextField
      label={label}
      inputMode="numeric"
      autoComplete="off"
      value={form[name]}
      placeholder={recorded[name] ?? ''}
      disabled={hasRaw(form)}
      hint={hint}
      error={fieldProblem(name, form[name])}
      onChange={(value) => onChange({ [name]: value })}
    />
  );
}

const hasRaw = ({ raw }: WhatIfForm): boolean => raw.trim() !== '';
