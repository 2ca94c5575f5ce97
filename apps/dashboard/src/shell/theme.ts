/** The colour theme: the system's, unless chosen here. Stored in this browser. */
import { useSyncExternalStore } from 'react';

export type Theme = 'system' | 'light' | 'dark';

const key = 'holdfast.theme';
const listeners = new Set<() => void>();
const dark = matchMedia('(prefers-color-scheme: dark)');

let theme: Theme = storedTheme();

function storedTheme(): Theme {
  try {
    const value = localStorage.getItem(key);
    return value === 'light' || value === 'dark' ? value : 'system';
  } catch {
    return 'system';
  }
}

export function applyTheme(): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

export function chooseTheme(chosen: Theme): void {
  theme = chosen;
  try {
    localStorage.setItem(key, chosen);
  } catch {
    // Without storage the choice is lost on reload.
  }
  applyTheme();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  dark.addEventListener('change', listener);
  return () => {
    listeners.delete(listener);
    dark.removeEventListener('change', listener);
  };
}

export const useTheme = (): Theme => useSyncExternalStore(subscribe, () => theme);

/** Whether the page is dark now. Canvas drawings must be redrawn when it changes. */
export const useIsDark = (): boolean => useSyncExternalStore(subscribe, () => (theme === 'system' ? dark.matches : theme === 'dark'));
