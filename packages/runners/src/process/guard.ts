/**
 * Owns the guard: one tiny shell that outlives this process by a moment and ends the process groups it still had, however
 * it died, `kill -9` included. The groups are detached, so without a guard not even Ctrl-C would reach them.
 *
 * Invariants
 * 1. The guard reads group ids only; nothing of a call ever reaches this shell.
 * 2. It never keeps this process alive, and it ends when no group is left for a while or `releaseGuard` is called.
 * 3. Best effort: where /bin/sh is missing, calls work without it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';

const script = `groups=" "
while read -r change id; do
  case "$change" in
    +) groups="$groups$id " ;;
    -) case "$groups" in *" $id "*) groups="\${groups%% $id *} \${groups#* $id }" ;; esac ;;
  esac
done
for id in $groups; do kill -s TERM -- "-$id" 2>/dev/null && found=1; done
[ -n "$found" ] && sleep 1
for id in $groups; do kill -s KILL -- "-$id" 2>/dev/null; done
exit 0
`;

const lingerMs = 5000;
const guarded = new Set<number>();
let guard: ChildProcess | undefined;
let linger: NodeJS.Timeout | undefined;

/** Has the group ended when this process dies. Returns what takes it off the list. */
export function guardGroup(groupId: number | undefined): () => void {
  if (groupId === undefined || process.platform === 'win32') return () => {};
  clearTimeout(linger);
  guarded.add(groupId);
  if (guard === undefined) {
    guard = startGuard();
    for (const each of guarded) writeLine(`+ ${each}`);
  } else writeLine(`+ ${groupId}`);
  return () => {
    if (!guarded.delete(groupId)) return;
    writeLine(`- ${groupId}`);
    if (guarded.size === 0) linger = setTimeout(releaseGuard, lingerMs).unref();
  };
}

/** Ends the guard at once when it has nobody to guard. */
export function releaseGuard(): void {
  if (guarded.size > 0) return;
  clearTimeout(linger);
  guard?.stdin?.end();
  guard = undefined;
}

function startGuard(): ChildProcess {
  const started = spawn('/bin/sh', ['-c', script], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: '/usr/bin:/bin' },
    cwd: '/',
  });
  started.on('error', () => {});
  started.on('exit', () => {
    if (guard === started) guard = undefined;
  });
  started.stdin?.on('error', () => {});
  started.unref();
  (started.stdin as Socket | null)?.unref();
  return started;
}

function writeLine(line: string): void {
  guard?.stdin?.write(`${line}\n`);
}
