/**
 * Owns the identity of writers, and whether one is alive: the difference between a running turn and one whose process died.
 *
 * 1. On the same machine the process table decides, by pid and start time, so a reused pid is not mistaken for the writer.
 * 2. For another machine or container only the heartbeat counts.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** A writer with running turns writes its heartbeat about this often. */
export const heartbeatEveryMs = 10_000;
const silentElsewhereMs = 60_000;
/** Long, since a busy event loop writes no heartbeat; it only finds a dead thread of a living process. */
const silentHereMs = 600_000;

export interface WriterIdentity {
  /** One per open store. */
  readonly instance: string;
  /** The machine on which its pid is valid. */
  readonly machine: string;
  readonly pid: number;
  /** When the process began, in the units of the machine; empty if unknown. */
  readonly processStart: string;
}

export interface WriterRecord extends Omit<WriterIdentity, 'instance'> {
  readonly heartbeatAt: number;
  readonly closedAt: number | undefined;
}

export function writerIdentity(): WriterIdentity {
  return { instance: randomUUID(), machine: machineName(), pid: process.pid, processStart: processStart(process.pid) ?? '' };
}

export function isAlive(writer: WriterRecord, machine: string, now: number): boolean {
  if (writer.closedAt !== undefined) return false;
  const silentMs = now - writer.heartbeatAt;
  if (writer.machine !== machine) return silentMs < silentElsewhereMs;
  return (
    silentMs < silentHereMs &&
    processExists(writer.pid) &&
    processStart(writer.pid) === (writer.processStart === '' ? undefined : writer.processStart)
  );
}

/** Host, boot and process-id namespace: containers that share a volume are different machines, and so is one machine after a restart. */
export function machineName(): string {
  return [
    hostname(),
    textOf(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')),
    textOf(() => readlinkSync('/proc/self/ns/pid')),
  ].join(' ');
}

/** Clock ticks since boot, from Linux's process table; `undefined` elsewhere, and of a process that has ended and is still listed. */
function processStart(pid: number): string | undefined {
  const stat = textOf(() => readFileSync(`/proc/${String(pid)}/stat`, 'utf8'));
  // The second field is the program's name in parentheses and may hold any character, so count from after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' ? undefined : fields[19];
}

function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return typeof error === 'object' && error !== null && 'code' in error && error.code === 'EPERM';
  }
}

function textOf(read: () => string): string {
  try {
    return read().trim();
  } catch {
    return '';
  }
}
