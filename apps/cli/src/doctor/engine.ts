/** Owns looking at the engine that runs turns: it answers, workers have made themselves known, nothing waits for somebody. Hands nothing in. */
import type { EngineStatus } from '@holdfast/gateway';
import type { Manifest } from '@holdfast/manifest';
import type { Finding } from './finding.ts';

export async function checkEngine({ engine, sharedCircuits }: Manifest): Promise<readonly Finding[]> {
  if (engine === undefined) return [];
  const { surveyEngine } = await import('@holdfast/gateway');
  const { restate } = engine;
  return findingsOf(await surveyEngine(restate), restate.ingress, sharedCircuits === 'restate');
}

function findingsOf({ ingress, admin, workers, paused }: EngineStatus, address: string, keepsCircuits: boolean): readonly Finding[] {
  const check = 'engine';
  const engineFinding = (place: string, problem: string): Finding => ({
    check,
    subject: place,
    status: 'error',
    message: problem,
    advice: `Is Restate running, is engine.restate.${place} right? Until it answers, turns are refused with 503${keepsCircuits ? ' and each process has circuits of its own' : ''}; calls over MCP continue.`,
  });
  if (ingress !== undefined) return [engineFinding('ingress', ingress)];
  if (admin !== undefined) return [engineFinding('admin', admin)];
  const known: Finding = { check, status: 'ok', message: `${address}, workers at ${workers.join(', ')}` };
  const none: Finding = {
    check,
    status: 'warning',
    message: `${address} answers, and no worker has made itself known`,
    advice: 'Start one: holdfast worker.',
  };
  const stuck: Finding = {
    check,
    status: 'warning',
    message: `${paused} turn${paused === 1 ? ' was' : 's were'} given up after too many failed tries`,
    advice: "See the workers' logs, then resume them at the engine.",
  };
  return [workers.length === 0 ? none : known, ...(paused === 0 ? [] : [stuck])];
}
