/** Small shared components. */
import { type ReactNode, useEffect, useState } from 'react';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';
import style from './parts.module.css';

export interface ToolbarProps {
  readonly label: string;
  readonly children: ReactNode;
  /** At the end of the toolbar. */
  readonly end?: ReactNode;
}

export function Toolbar({ label, children, end }: ToolbarProps): ReactNode {
  return (
    <div role="group" aria-label={label} className={style['toolbar']}>
      {children}
      {end && <div className={style['push']}>{end}</div>}
    </div>
  );
}

export interface DisclosureProps {
  readonly summary: ReactNode;
  readonly open?: boolean;
  readonly children: ReactNode;
}

export function Disclosure({ summary, open = false, children }: DisclosureProps): ReactNode {
  return (
    <details className={style['disclosure']} open={open}>
      <summary>
        <Icon name="chevron" size={14} />
        {summary}
      </summary>
      <div className={style['disclosed']}>{children}</div>
    </details>
  );
}

/** A list of names and values. */
export function Facts({ facts }: { readonly facts: readonly (readonly [name: ReactNode, value: ReactNode])[] }): ReactNode {
  return (
    <dl className={style['facts']}>
      {facts.flatMap(([name, value], index) => [<dt key={`${index}-name`}>{name}</dt>, <dd key={`${index}-value`}>{value}</dd>])}
    </dl>
  );
}

export interface Stat {
  readonly name: string;
  readonly value: ReactNode;
  /** Smaller, after the value. */
  readonly detail?: ReactNode;
}

/** The key stats of a screen. */
export function Stats({ stats }: { readonly stats: readonly Stat[] }): ReactNode {
  return (
    <dl className={style['stats']}>
      {stats.map(({ name, value, detail }) => (
        <div key={name} className={style['stat']}>
          <dt>{name}</dt>
          <dd>
            {value} {detail !== undefined && <span className={style['detail']}>{detail}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Preformatted text. */
export function Code({ text, label }: { readonly text: string; readonly label: string }): ReactNode {
  return (
    <pre className={style['code']} tabIndex={0} role="region" aria-label={label}>
      {text}
    </pre>
  );
}

export interface CopyButtonProps {
  readonly text: string;
  /** What is copied: `Copy the turn id`. */
  readonly label: string;
}

export function CopyButton({ text, label }: CopyButtonProps): ReactNode {
  const [copied, setCopied] = useState<boolean>();
  useEffect(() => {
    if (copied === undefined) return undefined;
    const timer = setTimeout(() => setCopied(undefined), 1600);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = (): void => {
    void navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  };
  const caption = copied === undefined ? label : copied ? 'Copied' : 'The browser blocked copying';
  return (
    <Button
      kind="quiet"
      icon={copied === true ? 'done' : copied === false ? 'failed' : 'copy'}
      aria-label={caption}
      title={caption}
      onClick={copy}
    />
  );
}

/** Announced by screen readers when it changes. Only for alerts and for the result of an action. */
export function LiveRegion({ text }: { readonly text: string }): ReactNode {
  return (
    <div role="status" aria-live="polite" className="visually-hidden">
      {text}
    </div>
  );
}
