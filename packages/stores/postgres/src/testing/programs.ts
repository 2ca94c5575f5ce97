/**
 * Owns finding PostgreSQL's programs, the user they run as (they refuse to run as root), and the cluster that every server of a test starts from.
 */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { chmod, chown, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Where Debian, Ubuntu, Homebrew and the packages of PostgreSQL itself put the versions. */
const parents = ['/usr/lib/postgresql', '/usr/local/opt', '/opt/homebrew/opt', '/usr/pgsql'];

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** The folder with `initdb` and `postgres` of the newest installed version. Throws if there is none. */
export function postgresPrograms(): string {
  const given = process.env['HOLDFAST_POSTGRES_BIN'];
  const found = given === undefined ? [...findInstalled(), ...(process.env['PATH'] ?? '').split(':')] : [given];
  const folder = found.find((one) => existsSync(join(one, 'initdb')) && existsSync(join(one, 'postgres')));
  if (folder !== undefined) return folder;
  throw new Error(
    'startPostgres: no PostgreSQL found; install it (Debian: apt-get install postgresql) or set HOLDFAST_POSTGRES_BIN to its bin folder.',
  );
}

function findInstalled(): readonly string[] {
  return parents
    .filter((parent) => existsSync(parent))
    .flatMap((parent) => readdirSync(parent).map((name) => ({ name, bin: join(parent, name, 'bin') })))
    .toSorted((one, other) => versionOf(other.name) - versionOf(one.name))
    .map(({ bin }) => bin);
}

function versionOf(name: string): number {
  return Number(/(\d+)$/.exec(name)?.[1] ?? 0);
}

/** The user that owns the cluster: another one if this process is root, otherwise the current one. */
export async function clusterOwner(): Promise<Owner | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  for (const user of ['postgres', 'nobody']) {
    try {
      const [uid, gid] = await Promise.all(['-u', '-g'].map(async (what) => Number((await run('id', [what, user])).stdout)));
      if (uid !== undefined && gid !== undefined) return { uid, gid };
    } catch {
      // There is no such user.
    }
  }
  throw new Error('startPostgres: PostgreSQL does not run as root, and there is neither a user postgres nor a user nobody.');
}

export interface Cluster {
  /** A data folder that is copied and never started. */
  readonly data: string;
  /** The superuser's password. */
  readonly password: string;
}

/** The cluster that all tests of this machine copy. The first process that needs it creates it; several may do so at once. */
export async function clusterTemplate(bin: string, owner: Owner | undefined, temporary: string): Promise<Cluster> {
  const uid = owner?.uid ?? process.getuid?.() ?? 0;
  const { stdout } = await run(join(bin, 'postgres'), ['--version']);
  const place = join(temporary, `holdfast-postgres-${/[\d.]+/.exec(stdout)?.[0] ?? 'unknown'}-${String(uid)}`);
  if (!isOurs(place, uid)) await makeTemplate(bin, owner, temporary, place);
  if (!isOurs(place, uid)) throw new Error(`startPostgres: ${place} belongs to another user; remove it.`);
  return { data: join(place, 'data'), password: await readFile(join(place, 'password'), 'utf8') };
}

/** A folder of another user is not used. */
function isOurs(place: string, uid: number): boolean {
  const found = statSync(place, { throwIfNoEntry: false });
  return found !== undefined && found.uid === uid && (found.mode & 0o777) === 0o700;
}

async function makeTemplate(bin: string, owner: Owner | undefined, temporary: string, place: string): Promise<void> {
  const folder = await mkdtemp(join(temporary, 'holdfast-postgres-new-'));
  try {
    await chmod(folder, 0o700);
    const password = join(folder, 'password');
    await writeFile(password, randomUUID(), { mode: 0o600 });
    if (owner) for (const one of [folder, password]) await chown(one, owner.uid, owner.gid);
    const parameters = ['-D', join(folder, 'data'), '-U', 'postgres', '-A', 'scram-sha-256', '--pwfile', password];
    await run(join(bin, 'initdb'), [...parameters, '-E', 'UTF8', '--locale=C', '--no-sync'], { ...owner, cwd: folder });
    await rename(folder, place);
  } catch (error) {
    // Another process was faster.
    if (!existsSync(place)) throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
