/** The frame around every screen: header, banner, footer. */
import { Component, type ReactNode } from 'react';
import { useLivePart } from '../data/live.tsx';
import { Button } from '../ui/button.tsx';
import { formatBytes, pluralize } from '../ui/format.ts';
import { Link } from '../ui/link.tsx';
import { Empty } from '../ui/states.tsx';
import { RelativeTime } from '../ui/time.tsx';
import { AlertAnnouncer } from './alert-announcer.tsx';
import { ConnectionBanner, LiveIndicator, Principal } from './connection-state.tsx';
import { Navigation } from './navigation.tsx';
import style from './shell.module.css';
import { ThemeSwitch } from './theme-switch.tsx';

export function Shell({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <>
      <a className={style['skip']} href="#main">
        Skip to content
      </a>
      <header className={style['bar']}>
        <div className={style['barInner']}>
          <Link to="/" className={style['mark']}>
            <svg viewBox="0 0 32 32" aria-hidden="true">
              <rect width="32" height="32" rx="7" fill="currentColor" />
              <path d="M10 7v18M22 7v18M10 16h12" fill="none" stroke="var(--surface)" strokeWidth="3.5" strokeLinecap="round" />
            </svg>
            Holdfast
          </Link>
          <Navigation />
          <div className={style['end']}>
            <Principal />
            <LiveIndicator />
            <ThemeSwitch />
          </div>
        </div>
      </header>
      <ConnectionBanner />
      <main id="main" tabIndex={-1} className={style['main']}>
        {children}
      </main>
      <Footer />
      <AlertAnnouncer />
    </>
  );
}

function Footer(): ReactNode {
  const totals = useLivePart(({ overview }) => overview?.totals);
  if (totals === undefined) return null;
  const { version, started_at, store, history } = totals;
  return (
    <footer className={style['foot']}>
      <span>Holdfast {version}</span>
      <span>
        gateway started <RelativeTime at={started_at} />
      </span>
      <span>{storeText(store)}</span>
      <span>
        {history
          ? `history: ${formatBytes(history.bytes)}, kept for ${pluralize(history.retention_days, 'day')}`
          : 'history: in memory, lost when the gateway stops'}
      </span>
    </footer>
  );
}

function storeText(store: { readonly ok: boolean; readonly dropped: number; readonly problem?: string } | undefined): string {
  if (store === undefined) return 'no trace store';
  if (!store.ok) return `trace store failing: ${store.problem ?? 'unknown reason'}`;
  return store.dropped === 0 ? 'trace store ok, nothing dropped' : `trace store ok, ${pluralize(store.dropped, 'event')} dropped`;
}

interface BoundaryState {
  readonly failed: boolean;
  readonly detail: string;
}

/** Contains a screen that fails or whose code cannot be loaded. Use the path as `key`. */
export class ScreenBoundary extends Component<{ readonly children: ReactNode }, BoundaryState> {
  override state: BoundaryState = { failed: false, detail: '' };

  static getDerivedStateFromError(cause: unknown): BoundaryState {
    return { failed: true, detail: cause instanceof Error ? cause.message : String(cause) };
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children;
    return (
      <Empty title="This screen failed.">
        <p>{this.state.detail}</p>
        <p>If the gateway was updated, reload the page.</p>
        <Button icon="retry" onClick={() => location.reload()}>
          Reload
        </Button>
      </Empty>
    );
  }
}
