/**
 * Owns the guard: a small shell that outlives this process for a moment and ends its remaining process groups, also after
 * `kill -9`. The groups are detached, so without a guard not even Ctrl-C would reach them.
 *
 * Invariants
 * 1. The guard reads only group ids; no data of a call reaches this shell.
 * 2. It never keeps this process alive. It ends after a while without groups, or when `releaseGuard` is called.
 * 3. Best effort: without /bin/sh, calls work without it.
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

/** Ends the group when this process dies. Returns a function that removes it from the list. */
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

/** Ends the guard at once if it has no group. */
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
