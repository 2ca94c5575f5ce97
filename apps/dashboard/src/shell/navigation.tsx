/** The main navigation. */
import type { ReactNode } from 'react';
import { usePathname } from 'wouter/use-browser-location';
import { useLivePart } from '../data/live.tsx';
import { alertsPath, failuresPath, loginsPath, toolsPath, turnsPath } from '../data/routes.ts';
import { useHasLogins } from '../data/session.ts';
import { Link } from '../ui/link.tsx';
import style from './shell.module.css';

const places = [
  { to: '/', label: 'Overview' },
  { to: toolsPath, label: 'Tools' },
  { to: turnsPath, label: 'Turns' },
  { to: failuresPath, label: 'Failures' },
  { to: alertsPath, label: 'Alerts' },
] as const;
/** Only where servers have logins of people. */
const logins = { to: loginsPath, label: 'Logins' } as const;

export function Navigation(): ReactNode {
  const path = usePathname();
  const firing = useLivePart(({ overview }) => overview?.totals.alerts_firing ?? 0);
  const shown = useHasLogins() ? [...places, logins] : places;
  return (
    <nav aria-label="Screens" className={style['nav']}>
      <ul>
        {shown.map(({ to, label }) => (
          <li key={to}>
            <Link to={to} {...(isHere(path, to) ? { 'aria-current': 'page' as const } : {})}>
              {label}
              {to === alertsPath && firing > 0 && (
                <span className={style['count']}>
                  {firing}
                  <span className="visually-hidden"> firing</span>
                </span>
              )}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

const isHere = (path: string, to: string): boolean => path === to || (to !== '/' && path.startsWith(`${to}/`));
