/** The captured input and output of a call. They were redacted before they were stored. */
import type { CallResult } from '@holdfast/gateway/contract';
import type { ReactNode } from 'react';
import { Code, CopyButton } from '../../../ui/parts.tsx';
import type { CallView } from '@holdfast/core/turn-view';
import style from './inspector.module.css';
import { visibleText } from '../../../ui/visible-text.ts';

export interface CapturedDataProps {
  readonly call: CallView;
  readonly result: Partial<CallResult> | undefined;
}

export function CapturedData({ call, result }: CapturedDataProps): ReactNode {
  const fromReport = call.output === undefined && result !== undefined && 'output' in result;
  const output = fromReport ? result.output : call.output;
  return (
    <div className={style['stack']}>
      <Part
        title="Input"
        value={call.input}
        placeholder={
          call.startedMs === undefined
            ? 'The call never started, so it has no input.'
            : 'Not captured. Set capture to arguments or all in the manifest to record inputs, redacted.'
        }
      />
      <Part
        title="Output"
        note={fromReport ? 'From the report. The trace did not capture it.' : undefined}
        value={output}
        placeholder={
          call.end === undefined
            ? 'No output yet.'
            : call.status === 'success'
              ? 'Not captured. Set capture to all in the manifest to record outputs, redacted.'
              : 'No output: the call did not succeed.'
        }
      />
    </div>
  );
}

interface PartProps {
  readonly title: string;
  readonly note?: string | undefined;
  readonly value: unknown;
  readonly placeholder: string;
}

function Part({ title, note, value, placeholder }: PartProps): ReactNode {
  const text = value === undefined ? undefined : toText(value);
  return (
    <div>
      <div className={style['head']}>
        <h3>{title}</h3>
        {text !== undefined && <CopyButton text={text} label={`Copy the ${title.toLowerCase()}`} />}
      </div>
      {note !== undefined && <p className="muted">{note}</p>}
      {text === undefined ? <p className="muted">{placeholder}</p> : <Code text={visibleText(text)} label={title} />}
    </div>
  );
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value, null, 2));
