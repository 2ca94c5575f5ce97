/** `holdfast run`: runs a turn and shows it. */
import type { Action } from '../action.ts';
import { loadTurn } from '@holdfast/manifest';
import { formatCount, loadConfig, printProblems } from '../config.ts';
import { UsageError } from '../exit-codes.ts';
import { type RunOptions, runTurn } from '../run/run-turn.ts';

export const execute: Action<string, RunOptions> = async (turn, options, console) => {
  // With --gateway, the gateway's manifest applies.
  const manifest = options.gateway === undefined ? await loadConfig(options, console) : undefined;
  const { turn: plan, problems, source } = await loadTurn(turn, manifest ? { manifest } : {});
  printProblems(problems, source, console);
  if (!plan) throw new UsageError(`${turn} cannot be run: ${formatCount(problems)}.`);
  if (manifest) return runTurn(manifest, plan, options, console);
  const { runTurnAtGateway } = await import('../run/run-at-gateway.ts');
  return runTurnAtGateway(source, plan.turnId, options, console);
};
