/** Maps a turn's outcome to the exit code. */
import type { TurnOutcome } from '@holdfast/core';
import { exitCodes } from '../exit-codes.ts';

const codes: Readonly<Record<TurnOutcome, number>> = {
  success: exitCodes.ok,
  partial: exitCodes.failed,
  failed: exitCodes.failed,
  deadline: exitCodes.deadline,
  cancelled: exitCodes.interrupted,
};

export const exitCodeOf = (outcome: TurnOutcome): number => codes[outcome];
