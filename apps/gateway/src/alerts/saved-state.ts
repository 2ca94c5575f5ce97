/**
 * Owns keeping the state of those who watch and tell: soon after a change, and not more often than it is worth. Takes up what the process before has kept.
 */
import type { System, TimerHandle } from '@holdfast/core';
import { describeError } from '@holdfast/core/internal';
import type { Diary } from './alert-log.ts';
import { endTenure, takeTenure } from './leader-lock.ts';

/** JSON goes out and comes in. */
interface Keeper {
  readonly save: () => unknown;
  /** Throws for what it did not make. */
  readonly restore: (saved: unknown) => void;
}

export interface KeptStateOptions {
  readonly diary: Diary;
  readonly system: System;
  readonly keepers: Readonly<Record<string, Keeper>>;
  readonly onFault: (text: string) => void;
  readonly isAlive?: ((pid: number) => boolean) | undefined;
}

export interface KeptState {
  /** Takes up what was kept; answers whether it is this process's. */
  restore(): boolean;
  saveIn(delayMs: number): void;
  /** Saves, and lets another process continue with it. */
  end(): void;
}

/** What could not be saved is tried again after this. */
const againMs = 10_000;

export function createKeptState({ diary, system, keepers, onFault, isAlive }: KeptStateOptions): KeptState {
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
    const isSaved = diary.attempt((kept) => {
      for (const [name, keeper] of Object.entries(keepers)) kept.saveState(name, JSON.stringify(keeper.save()), system.epochMs());
      return true;
    }, false);
    if (!isSaved) saveIn(againMs);
  };
  const saveIn = (delayMs: number): void => {
    if (!isOwner || system.now() + delayMs >= dueAt) return;
    stop();
    dueAt = system.now() + delayMs;
    timer = system.setTimer(delayMs, save, true);
  };
  return {
    restore() {
      isOwner = takeTenure(diary, system.epochMs(), isAlive);
      if (!isOwner) return false;
      for (const [name, keeper] of Object.entries(keepers)) {
        const body = diary.attempt((kept) => kept.state(name), undefined);
        if (body === undefined) continue;
        try {
          keeper.restore(JSON.parse(body));
        } catch (error) {
          onFault(`What was known of alerts cannot be read: ${describeError(error).message}`);
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
      endTenure(diary, system.epochMs());
      isOwner = false;
    },
  };
}
