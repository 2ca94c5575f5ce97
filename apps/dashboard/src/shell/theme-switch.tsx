/** Switches between light, dark and system theme. */
import type { ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import type { IconName } from '../ui/icon.tsx';
import { chooseTheme, type Theme, useTheme } from './theme.ts';

const order: Readonly<Record<Theme, { readonly icon: IconName; readonly label: string; readonly next: Theme }>> = {
  system: { icon: 'system', label: 'system', next: 'light' },
  light: { icon: 'sun', label: 'light', next: 'dark' },
  dark: { icon: 'moon', label: 'dark', next: 'system' },
};

export function ThemeSwitch(): ReactNode {
  const { icon, label, next } = order[useTheme()];
  const text = `Theme: ${label}. Switch to ${order[next].label}.`;
  return <Button kind="quiet" icon={icon} aria-label={text} title={text} onClick={() => chooseTheme(next)} />;
}
