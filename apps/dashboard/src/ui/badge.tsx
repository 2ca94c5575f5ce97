/** A state as an icon and a word, so that it does not depend on colour. */
import type { ReactNode } from 'react';
import style from './badge.module.css';
import { classNames } from './class-names.ts';
import { Icon, type IconName } from './icon.tsx';

export type Tone = 'quiet' | 'plain' | 'good' | 'warn' | 'bad' | 'own' | 'accent';

export interface BadgeProps {
  readonly tone?: Tone;
  readonly icon?: IconName;
  /** With a background, for emphasis. */
  readonly filled?: boolean;
  readonly title?: string | undefined;
  readonly children: ReactNode;
}

export function Badge({ tone = 'quiet', icon, filled = false, title, children }: BadgeProps): ReactNode {
  return (
    <span className={classNames(style['badge'], style[tone], filled && style['filled'])} title={title}>
      {icon && <Icon name={icon} />}
      {children}
    </span>
  );
}
