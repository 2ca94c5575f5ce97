/** Switches between light, dark and system theme. */
import type { ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import type { IconName } from '../ui/icon.tsx';
import { chooseTheme, type Theme, useTheme } from './theme.ts';

const order: Readonly<Record<Theme, { readonly icon: IconName; readonly word: string; readonly next: Theme }>> = {
  system: { icon: 'system', word: 'system', next: 'light' },
  light: { icon: 'sun', word: 'light', next: 'dark' },
  dark: { icon: 'moon', word: 'dark', next: 'system' },
};

export function ThemeSwitch(): ReactNode {
  const { icon, word, next } = order[useTheme()];
  const text = `Theme: ${word}. Switch to ${order[next].word}.`;
  return <Button kind="quiet" icon={icon} aria-label={text} title={text} onClick={() => chooseTheme(next)} />;
}
