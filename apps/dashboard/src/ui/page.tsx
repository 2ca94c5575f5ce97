/** The frame of a screen: title (also of the tab), breadcrumbs, actions, sections. */
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { Link } from './link.tsx';
import style from './page.module.css';

export interface PageProps {
  readonly title: string;
  /** Next to the title: states, numbers. */
  readonly subtitle?: ReactNode;
  readonly crumbs?: readonly { readonly to: string; readonly text: string }[];
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** Set after the first screen, since only later ones move the focus to their heading. */
let visited = false;

export function Page({ title, subtitle, crumbs = [], actions, children }: PageProps): ReactNode {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Holdfast`;
  }, [title]);
  useEffect(() => {
    if (visited) heading.current?.focus({ preventScroll: true });
    visited = true;
  }, [title]);
  return (
    <div className={style['page']}>
      <header className={style['head']}>
        <div className={style['title']}>
          {crumbs.length > 0 && (
            <nav aria-label="Breadcrumbs" className={style['crumbs']}>
              {crumbs.map(({ to, text }) => (
                <span key={to}>
                  <Link to={to} quiet>
                    {text}
                  </Link>
                  {' / '}
                </span>
              ))}
            </nav>
          )}
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {subtitle}
        </div>
        {actions && <div className={style['actions']}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}

export interface SectionProps {
  readonly title: string;
  /** Next to the title, muted. */
  readonly note?: ReactNode;
  readonly actions?: ReactNode;
  readonly children?: ReactNode;
}

export function Section({ title, note, actions, children }: SectionProps): ReactNode {
  const id = useId();
  return (
    <section aria-labelledby={id} className={style['section']}>
      <div className={style['sectionHead']}>
        <h2 id={id}>{title}</h2>
        {note && <span className={style['note']}>{note}</span>}
        {actions && <div className={style['actions']}>{actions}</div>}
      </div>
      {children}
    </section>
  );
}
