/** Checks the turn engine: it responds, workers are registered, no turn is paused. Submits nothing. */
import type { EngineStatus } from '@holdfast/gateway';
import type { Manifest } from '@holdfast/manifest';
import type { Finding } from './finding.ts';

export async function diagnoseEngine({ engine, sharedCircuits }: Manifest): Promise<readonly Finding[]> {
  if (engine === undefined) return [];
  const { checkEngine } = await import('@holdfast/gateway');
  const { restate } = engine;
  return findingsOf(await checkEngine(restate), restate.ingress, sharedCircuits === 'restate');
}

function findingsOf({ ingress, admin, workers, paused }: EngineStatus, address: string, keepsCircuits: boolean): readonly Finding[] {
  const check = 'engine';
  const engineFinding = (place: string, problem: string): Finding => ({
    check,
    subject: place,
    status: 'error',
    message: problem,
    advice: `Is Restate running? Is engine.restate.${place} correct? Until it responds, turns are refused with 503${keepsCircuits ? ' and circuits are not shared between processes' : ''}; MCP calls continue.`,
  });
  if (ingress !== undefined) return [engineFinding('ingress', ingress)];
  if (admin !== undefined) return [engineFinding('admin', admin)];
  const registered: Finding = { check, status: 'ok', message: `${address}, workers at ${workers.join(', ')}` };
  const noWorkers: Finding = {
    check,
    status: 'warning',
    message: `${address} responds, but no worker is registered`,
    advice: 'Start one: holdfast worker.',
  };
  const pausedTurns: Finding = {
    check,
    status: 'warning',
    message: `${paused} turn${paused === 1 ? ' is' : 's are'} paused after too many failed attempts`,
    advice: "Check the workers' logs, then resume the turns in Restate.",
  };
  return [workers.length === 0 ? noWorkers : registered, ...(paused === 0 ? [] : [pausedTurns])];
}
