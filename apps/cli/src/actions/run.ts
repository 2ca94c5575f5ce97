/** `holdfast run`: runs a turn and shows it. */
import type { Action } from '../action.ts';
import { loadTurn } from '@holdfast/manifest';
import { counted, loadConfig, tellProblems } from '../config.ts';
import { UsageError } from '../exit-codes.ts';
import { type RunOptions, runTurn } from '../run/run-turn.ts';

export const act: Action<string, RunOptions> = async (turn, options, console) => {
  if (options.gateway !== undefined) return (await import('../run/run-at-gateway.ts')).runTurnAtGateway(turn, options, console);
  const manifest = await loadConfig(options, console);
  const { turn: plan, problems, source } = await loadTurn(turn, { manifest });
  tellProblems(problems, source, console);
  if (!plan) throw new UsageError(`${turn} cannot be run: ${counted(problems)}.`);
  return runTurn(manifest, plan, options, console);
};
