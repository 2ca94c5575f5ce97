/**
 * The environment of a child process. Only variables on an allow-list are inherited, so that secrets of the host do not
 * reach a tool by accident.
 */
import { type TextOrSecret, reveal } from './secret.ts';

/** Inherited unless `inheritEnv` says otherwise. */
export const defaultInheritEnv: readonly string[] = ['PATH', 'HOME', 'LANG', 'TERM', 'USER', 'SHELL', 'LOGNAME', 'TMPDIR'];

/** What Windows programs need to start at all. */
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
