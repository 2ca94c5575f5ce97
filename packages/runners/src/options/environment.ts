/**
 * Owns the environment of a child process. Only variables on an allow-list are inherited, so that a tool does not get secrets of the
 * host by accident.
 */
import { type TextOrSecret, reveal } from './secret.ts';

/** The default of `inheritEnv`. */
export const defaultInheritEnv: readonly string[] = ['PATH', 'HOME', 'LANG', 'TERM', 'USER', 'SHELL', 'LOGNAME', 'TMPDIR'];

/** Variables that Windows programs need to start. */
const windowsInheritEnv: readonly string[] = ['SYSTEMROOT', 'PATHEXT', 'TEMP', 'USERPROFILE', 'COMSPEC'];

export function childEnvironment(inheritEnv: readonly string[], env: Readonly<Record<string, TextOrSecret>>): Record<string, string> {
  const environment: Record<string, string> = {};
  const inherited = process.platform === 'win32' ? [...windowsInheritEnv, ...inheritEnv] : inheritEnv;
  for (const name of inherited) {
    const value = process.env[name];
    // A value that begins with "()" is a function exported by an old bash.
    if (value !== undefined && !value.startsWith('()')) environment[name] = value;
  }
  for (const [name, value] of Object.entries(env)) environment[name] = reveal(value);
  return environment;
}
