/** Owns what is said of the connection: a word in the bar, a banner when what is shown may be old, a field when a token is needed. */
import { type FormEvent, type ReactNode, useState } from 'react';
import type { Connection } from '../data/live-connection.ts';
import { useLive, useLivePart } from '../data/live.tsx';
import { keepToken } from '../data/session-token.ts';
import { Button } from '../ui/button.tsx';
import { classNames } from '../ui/class-names.ts';
import { TextField } from '../ui/field.tsx';
import { Icon } from '../ui/icon.tsx';
import { RelativeTime } from '../ui/time.tsx';
import style from './shell.module.css';

const words: Readonly<Record<Connection, string>> = {
  connecting: 'connecting',
  live: 'live',
  paused: 'paused',
  gone: 'no connection',
  denied: 'token needed',
};

export function LiveSign(): ReactNode {
  const connection = useLivePart((view) => view.connection);
  const look = connection === 'live' ? style['liveOn'] : connection === 'gone' || connection === 'denied' ? style['liveOff'] : undefined;
  return (
    <span className={classNames(style['live'], look)}>
      <svg viewBox="0 0 8 8" aria-hidden="true">
        {connection === 'live' ? (
          <circle cx="4" cy="4" r="4" fill="currentColor" />
        ) : (
          <circle cx="4" cy="4" r="3" fill="none" stroke="currentColor" strokeWidth="2" />
        )}
      </svg>
      {words[connection]}
    </span>
  );
}

export function ConnectionBanner(): ReactNode {
  const { connection, overview, retry } = useLive();
  if (connection === 'gone') {
    return (
      <Banner>
        <strong>The gateway does not answer.</strong>
        <span>
          {overview ? (
            <>
              What you see is of <RelativeTime at={overview.at} />.{' '}
            </>
          ) : null}
          This page comes back by itself when the gateway does.
        </span>
        <Button onClick={retry}>Try now</Button>
      </Banner>
    );
  }
  return connection === 'denied' ? <TokenBanner /> : null;
}

function TokenBanner(): ReactNode {
  const [token, setToken] = useState('');
  const give = (event: FormEvent): void => {
    event.preventDefault();
    if (token.trim() === '') return;
    keepToken(token.trim());
    // Everything was denied so far: all of it is asked anew.
    location.reload();
  };
  return (
    <Banner>
      <strong>This gateway wants a token.</strong>
      <span>Open the address that it printed when it started, or give the token here. It stays in this tab.</span>
      <form className={style['token']} onSubmit={give}>
        <TextField label="Token" type="password" autoComplete="off" value={token} onChange={setToken} />
        <Button type="submit" kind="primary">
          Use it
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
