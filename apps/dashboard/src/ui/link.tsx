/** A link within the dashboard. */
import type { ComponentPropsWithoutRef, ReactNode } from 'react';
import { Link as RouterLink } from 'wouter';
import { classNames } from './class-names.ts';
import style from './link.module.css';

export interface LinkProps extends Omit<ComponentPropsWithoutRef<'a'>, 'href'> {
  readonly to: string;
  /** Looks like text until hovered. */
  readonly quiet?: boolean;
}

export function Link({ to, quiet = false, className, ...rest }: LinkProps): ReactNode {
  return <RouterLink {...rest} href={to} className={classNames(quiet && style['quiet'], className)} />;
}
