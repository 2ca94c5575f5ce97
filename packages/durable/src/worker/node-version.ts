/** Owns the check of the Node version: on an older one Restate's SDK registers, but every turn hangs. */

const LOWEST: readonly [number, number] = [22, 18];

/**
 * Checks that this version of Node can run a worker: 22.18 or newer. `createTurnEndpoint` does it too; call it before something is started.
 * @param version @default the version of this process
 * @throws Error with the required version if Node is too old.
 */
export const checkNodeVersion = (version: string = process.versions.node): void => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > LOWEST[0] || (major === LOWEST[0] && minor >= LOWEST[1])) return;
  throw new Error(`Node ${version} cannot run a worker: turns would hang. Use Node ${LOWEST.join('.')} or newer.`);
};
