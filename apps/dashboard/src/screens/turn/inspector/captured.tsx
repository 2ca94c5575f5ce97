/** What was captured of a call's input and output. It was redacted before it was kept. */
import type { CallResult } from '@holdfast/gateway/contract';
import type { ReactNode } from 'react';
import { Code, CopyButton } from '../../../ui/parts.tsx';
import type { CallView } from '@holdfast/core/turn-view';
import style from './inspector.module.css';
import { visibleText } from '../../../ui/visible-text.ts';

export interface CapturedProps {
  readonly call: CallView;
  readonly result: Partial<CallResult> | undefined;
}

export function Captured({ call, result }: CapturedProps): ReactNode {
  const fromReport = call.output === undefined && result !== undefined && 'output' in result;
  const output = fromReport ? result.output : call.output;
  return (
    <div className={style['stack']}>
      <Part
        title="Input"
        value={call.input}
        none={
          call.startedMs === undefined
            ? 'The call never began: it has no input.'
            : 'Not captured. With capture: arguments (or all) in the manifest the trace keeps inputs, redacted.'
        }
      />
      <Part
        title="Output"
        note={fromReport ? 'From the report; the trace has not captured it.' : undefined}
        value={output}
        none={
          call.end === undefined
            ? 'Not there yet.'
            : call.status === 'success'
              ? 'Not captured. With capture: all in the manifest the trace keeps outputs, redacted.'
              : 'The call has none: it did not succeed.'
        }
      />
    </div>
  );
}

interface PartProps {
  readonly title: string;
  readonly note?: string | undefined;
  readonly value: unknown;
  readonly none: string;
}

function Part({ title, note, value, none }: PartProps): ReactNode {
  const text = value === undefined ? undefined : toText(value);
  return (
    <div>
      <div className={style['head']}>
        <h3>{title}</h3>
        {text !== undefined && <CopyButton text={text} label={`Copy the ${title.toLowerCase()}`} />}
      </div>
      {note !== undefined && <p className="muted">{note}</p>}
      {text === undefined ? <p className="muted">{none}</p> : <Code text={visibleText(text)} label={title} />}
    </div>
  );
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value, null, 2));
