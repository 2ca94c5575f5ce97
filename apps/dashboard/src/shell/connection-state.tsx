/** The connection state: a label in the header, a banner if the data may be stale, and a form if a token is required. */
import { type FormEvent, type ReactNode, useState } from 'react';
import type { Connection } from '../data/live-connection.ts';
import { useLive, useLivePart } from '../data/live.tsx';
import { denialOf } from '../data/permission.model.ts';
import type { Problem } from '../data/problem.ts';
import { usePrincipal } from '../data/session.ts';
import { saveToken, tokenOf } from '../data/session-token.ts';
import { Button } from '../ui/button.tsx';
import { classNames } from '../ui/class-names.ts';
import { TextField } from '../ui/field.tsx';
import { Icon } from '../ui/icon.tsx';
import { visibleText } from '../ui/visible-text.ts';
import { RelativeTime } from '../ui/time.tsx';
import style from './shell.module.css';

const words: Readonly<Record<Exclude<Connection, 'denied'>, string>> = {
  connecting: 'connecting',
  live: 'live',
  paused: 'paused',
  gone: 'disconnected',
};

export function LiveIndicator(): ReactNode {
  const connection = useLivePart((view) => view.connection);
  const problem = useLivePart((view) => view.problem);
  const className =
    connection === 'live' ? style['liveOn'] : connection === 'gone' || connection === 'denied' ? style['liveOff'] : undefined;
  return (
    <span className={classNames(style['live'], className)}>
      <svg viewBox="0 0 8 8" aria-hidden="true">
        {connection === 'live' ? (
          <circle cx="4" cy="4" r="4" fill="currentColor" />
        ) : (
          <circle cx="4" cy="4" r="3" fill="none" stroke="currentColor" strokeWidth="2" />
        )}
      </svg>
      {connection === 'denied' ? denialOf(problem, tokenOf() !== undefined).short : words[connection]}
    </span>
  );
}

/** Whose token this page uses: its actions are recorded under that name. */
export function Principal(): ReactNode {
  const principal = usePrincipal();
  return principal === undefined ? null : (
    <span className={style['principal']} title={`You act as ${principal}`}>
      <span className="visually-hidden">You act as </span>
      {visibleText(principal)}
    </span>
  );
}

export function ConnectionBanner(): ReactNode {
  const { connection, overview, problem, retry } = useLive();
  if (connection === 'gone') {
    return (
      <Banner>
        <strong>The gateway does not respond.</strong>
        <span>
          {overview ? (
            <>
              The data is from <RelativeTime at={overview.at} />.{' '}
            </>
          ) : null}
          This page reconnects automatically.
        </span>
        <Button onClick={retry}>Retry now</Button>
      </Banner>
    );
  }
  return connection === 'denied' ? <TokenBanner problem={problem} /> : null;
}

function TokenBanner({ problem }: { readonly problem: Problem | undefined }): ReactNode {
  const [token, setToken] = useState('');
  const { reason, advice } = denialOf(problem, tokenOf() !== undefined);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (token.trim() === '') return;
    saveToken(token.trim());
    // Reload everything, since all requests were denied.
    location.reload();
  };
  return (
    <Banner>
      <strong>{reason}</strong>
      <span>{advice}</span>
      <form className={style['token']} onSubmit={submit}>
        <TextField label="Token" type="password" autoComplete="off" value={token} onChange={setToken} />
        <Button type="submit" kind="primary">
          Use token
        </Button>
      </form>
    </Banner>
  );
}

function Banner({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <div role="status" className={style['banner']}>
      <div className={style['bannerInner']}>
        <Icon name="alert" />
        {children}
      </div>
    </div>
  );
}
