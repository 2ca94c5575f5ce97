/**
 * Owns saving the state of the alert engine and the notifier: soon after a change, at a limited rate. Restores the state of the previous process.
 */
import type { System, TimerHandle } from '@holdfast/core';
import { describeError } from '@holdfast/core/internal';
import type { AlertLog } from './alert-log.ts';
import { releaseLeaderLock, acquireLeaderLock } from './leader-lock.ts';

/** State that is saved and restored as JSON. */
interface Stateful {
  readonly save: () => unknown;
  /** Throws for a state that `save` did not return. */
  readonly restore: (saved: unknown) => void;
}

export interface KeptStateOptions {
  readonly alertLog: AlertLog;
  readonly system: System;
  readonly stateful: Readonly<Record<string, Stateful>>;
  readonly onFault: (text: string) => void;
  readonly isAlive?: ((pid: number) => boolean) | undefined;
}

export interface KeptState {
  /** Restores the saved state; returns whether this process owns it. */
  restore(): boolean;
  saveIn(delayMs: number): void;
  /** Saves, and releases the state to other processes. */
  end(): void;
}

/** Delay until a failed save is tried again. */
const retryMs = 10_000;

export function createKeptState({ alertLog, system, stateful, onFault, isAlive }: KeptStateOptions): KeptState {
  let isOwner = false;
  let timer: TimerHandle | undefined;
  let dueAt = Infinity;

  const stop = (): void => {
    if (timer !== undefined) system.clearTimer(timer);
    timer = undefined;
    dueAt = Infinity;
  };
  const save = (): void => {
    stop();
    const isSaved = alertLog.attempt((kept) => {
      for (const [name, owner] of Object.entries(stateful)) kept.saveState(name, JSON.stringify(owner.save()), system.epochMs());
      return true;
    }, false);
    if (!isSaved) saveIn(retryMs);
  };
  const saveIn = (delayMs: number): void => {
    if (!isOwner || system.now() + delayMs >= dueAt) return;
    stop();
    dueAt = system.now() + delayMs;
    timer = system.setTimer(delayMs, save, true);
  };
  return {
    restore() {
      isOwner = acquireLeaderLock(alertLog, system.epochMs(), isAlive);
      if (!isOwner) return false;
      for (const [name, owner] of Object.entries(stateful)) {
        const body = alertLog.attempt((kept) => kept.state(name), undefined);
        if (body === undefined) continue;
        try {
          owner.restore(JSON.parse(body));
        } catch (error) {
          onFault(`The saved state of alerts cannot be restored: ${describeError(error).message}`);
        }
      }
      return true;
    },
    saveIn,
    end() {
      stop();
      if (!isOwner) return;
      save();
      stop();
      releaseLeaderLock(alertLog, system.epochMs());
      isOwner = false;
    },
  };
}
