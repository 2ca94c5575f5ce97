/** A button with the name of a call, which opens it. */
import type { ReactNode } from 'react';
import style from './turn.module.css';
import { visibleText } from '../../ui/visible-text.ts';

export interface CallLinkProps {
  readonly callId: string;
  readonly onCall: (callId: string) => void;
  readonly title?: string | undefined;
}

export function CallLink({ callId, onCall, title }: CallLinkProps): ReactNode {
  return (
    <button type="button" className={style['callLink']} title={title} onClick={() => onCall(callId)}>
      {visibleText(callId)}
    </button>
  );
}
