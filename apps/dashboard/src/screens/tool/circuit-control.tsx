/** Manual control of a circuit: choose an action, confirm, apply. */
import type { CircuitCommand, CircuitMode, CircuitState, ClientCircuit, ToolCircuit } from '@holdfast/gateway/contract';
import { type ReactNode, useId, useState } from 'react';
import type { Problem } from '../../data/problem.ts';
import { request } from '../../data/request.ts';
import { usePermission, usePrincipal } from '../../data/session.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField } from '../../ui/field.tsx';
import { LiveRegion } from '../../ui/parts.tsx';
import { ErrorBox } from '../../ui/states.tsx';
import { CircuitStatus } from '../../ui/status.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { type CircuitAction, circuitActions, clientCircuits } from './circuit-control.model.ts';
import style from './tool.module.css';

export interface CircuitControlProps {
  readonly tool: string;
  readonly circuit: CircuitState | null;
  readonly mode: CircuitMode;
  readonly heldUntil: string | undefined;
  /** Circuits of single clients that are not closed, or controlled manually. */
  readonly clients: readonly ClientCircuit[] | undefined;
  readonly onDone: () => void;
}

export function CircuitControl({ tool, circuit, mode, heldUntil, clients, onDone }: CircuitControlProps): ReactNode {
  const mayAct = usePermission();
  const [open, setOpen] = useState(false);
  const [message, setMessage] = useState('');
  const reason = circuit === null ? 'This tool has no circuit breaker.' : mayAct.reason;
  return (
    <>
      <Button icon="hand" disabledReason={reason} onClick={() => setOpen(true)}>
        Control circuit
      </Button>
      {circuit !== null && (
        <Dialog title={`Circuit of ${tool}`} open={open} onClose={() => setOpen(false)}>
          <Choose
            tool={tool}
            circuit={circuit}
            mode={mode}
            heldUntil={heldUntil}
            clients={clients}
            onCancel={() => setOpen(false)}
            onDone={(done) => {
              setOpen(false);
              setMessage(`Done: ${done}.`);
              onDone();
            }}
          />
        </Dialog>
      )}
      <LiveRegion text={message} />
    </>
  );
}

interface ChooseProps {
  readonly tool: string;
  readonly circuit: CircuitState;
  readonly mode: CircuitMode;
  readonly heldUntil: string | undefined;
  readonly clients: readonly ClientCircuit[] | undefined;
  readonly onCancel: () => void;
  readonly onDone: (done: string) => void;
}

function Choose({ tool, circuit, mode, heldUntil, clients = [], onCancel, onDone }: ChooseProps): ReactNode {
  const principal = usePrincipal();
  const [client, setClient] = useState('');
  const own = clients.find((each) => each.client === client);
  const actions = own
    ? circuitActions(own.circuit, own.mode)
    : circuitActions(circuit, mode, heldUntil !== undefined || clients.length > 0);
  const words = clientCircuits(clients);
  const [command, setCommand] = useState<CircuitCommand>();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const chosen = actions.find((action) => action.command === command);
  const act = async (): Promise<void> => {
    if (chosen === undefined || busy) return;
    setBusy(true);
    const answer = await request<ToolCircuit>(`/v1/tools/${encodeURIComponent(tool)}/circuit`, {
      method: 'POST',
      body: { command, ...(own && { client }) },
    });
    setBusy(false);
    if (answer.problem === undefined) onDone(chosen.title);
    else setProblem(answer.problem);
  };
  return (
    <form
      className={style['control']}
      onSubmit={(event) => {
        event.preventDefault();
        void act();
      }}
    >
      <p>
        Current state: <CircuitStatus circuit={circuit} mode={mode} heldUntil={heldUntil} />
        {words !== undefined && `, ${visibleText(words)}`}. Your action affects {own ? 'this client' : 'every agent behind this gateway'}{' '}
        and is recorded
        {principal === undefined ? '' : ` under the name ${visibleText(principal)}`}.
      </p>
      <ClientField
        clients={clients}
        value={own ? client : ''}
        onChange={(chosen) => {
          setClient(chosen);
          setCommand(undefined);
        }}
      />
      <Actions actions={actions} chosen={command} onChoose={setCommand} />
      {problem && <ErrorBox problem={problem} />}
      <div className={style['controlEnd']}>
        <Button onClick={onCancel}>Cancel</Button>
        <Button
          type="submit"
          kind={chosen?.disruptive === true ? 'danger' : 'primary'}
          disabledReason={chosen === undefined ? 'Choose an action.' : busy ? 'Applying …' : undefined}
        >
          {chosen?.title ?? 'Apply'}
        </Button>
      </div>
    </form>
  );
}

interface ClientFieldProps {
  readonly clients: readonly ClientCircuit[];
  readonly value: string;
  readonly onChange: (client: string) => void;
}

function ClientField({ clients, value, onChange }: ClientFieldProps): ReactNode {
  if (clients.length === 0) return null;
  const options = [{ id: '', title: 'All clients' }, ...clients.map(({ client }) => ({ id: client, title: visibleText(client) }))];
  return <SelectField label="Client" options={options} value={value} onChange={onChange} />;
}

interface ActionsProps {
  readonly actions: readonly CircuitAction[];
  readonly chosen: CircuitCommand | undefined;
  readonly onChoose: (command: CircuitCommand) => void;
}

function Actions({ actions, chosen, onChoose }: ActionsProps): ReactNode {
  const name = useId();
  return (
    <fieldset>
      <legend className="visually-hidden">Action</legend>
      {actions.map(({ command, title, meaning }) => (
        <label key={command}>
          <input type="radio" name={name} checked={command === chosen} onChange={() => onChoose(command)} />
          <span>
            <strong>{title}</strong>
            <span className="muted">{meaning}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
