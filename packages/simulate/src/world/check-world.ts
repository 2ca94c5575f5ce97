/** Owns the checks of a world: unknown names and invalid numbers, each with its path. Readers check the shapes themselves. */
import type { PlannedCall, PlanProblem } from '@holdfast/core';
import { checkPlan } from '@holdfast/core';
import { planOf } from '../run/plan.ts';
import type { Distribution } from './distribution.ts';
import { meanOf } from './distribution.ts';
import type { ErrorAnswer, WorldFault } from './fault.ts';
import type { RateLimit, RetryAfter, TokenBucket } from './limit-types.ts';
import type { AgentGroup, Burst, Service, World, WorldTool } from './world.ts';

/** One thing that is wrong with a world. */
export interface WorldProblem {
  /** Path from the root: `['agents', 0, 'turn', 1, 'toolName']`. */
  readonly path: readonly (string | number)[];
  /** What is wrong, and the fix. */
  readonly message: string;
}

/** Returns everything that is wrong with a world; an empty list for one that can be run. */
export function checkWorld(world: World): readonly WorldProblem[] {
  const problems: WorldProblem[] = [];
  const report: Report = (path, message) => void problems.push({ path, message });
  positive(world.durationMs, ['durationMs'], report);
  if (world.processes !== undefined) wholeAboveZero(world.processes, ['processes'], report, MOST_PROCESSES);
  if (world.agents.length === 0) report(['agents'], 'There are no agents. Give at least one group of agents.');
  for (const [name, service] of Object.entries(world.services)) checkService(service, ['services', name], report);
  for (const [name, tool] of Object.entries(world.tools)) checkTool(tool, world, ['tools', name], report);
  for (const [index, group] of world.agents.entries()) checkGroup(group, world, ['agents', index], report);
  for (const [index, fault] of world.faults.entries()) checkFault(fault, world, ['faults', index], report);
  return problems;
}

/** @throws RangeError that names the first problem of a world. */
export function assertWorld(world: World): void {
  const [first] = checkWorld(world);
  if (first) throw new RangeError(`World '${world.name}', ${first.path.join('.')}: ${first.message}`);
}

/** Each has a client, and each step an event, before a run begins. */
const MOST_PROCESSES = 10_000;
const MOST_STEPS = 1_000;

type Path = WorldProblem['path'];
type Report = (path: Path, message: string) => void;

function positive(value: number | undefined, path: Path, report: Report): void {
  if (value !== undefined && !(Number.isFinite(value) && value > 0)) report(path, `${value} is not a number above 0.`);
}

function wholeAboveZero(value: number, path: Path, report: Report, most = Infinity): void {
  if (!(Number.isInteger(value) && value > 0)) report(path, `${value} is not a whole number above 0.`);
  else if (value > most) report(path, `${value} is more than a run can have. Give at most ${most}.`);
}

function notNegative(value: number | undefined, path: Path, report: Report): void {
  if (value !== undefined && !(Number.isFinite(value) && value >= 0)) report(path, `${value} is not a number of 0 or more.`);
}

function share(value: number, path: Path, report: Report): void {
  if (!(value >= 0 && value <= 1)) report(path, `${value} is not a share. Give a number between 0 and 1.`);
}

function checkKnown(name: string, names: object, what: string, path: Path, report: Report): void {
  if (Object.hasOwn(names, name)) return;
  report(path, `There is no ${what} '${name}'. Name one of ${Object.keys(names).join(', ') || 'none yet'}.`);
}

function checkService({ servers, queue, latency, replicas, rateLimit, tokenBucket }: Service, path: Path, report: Report): void {
  wholeAboveZero(servers, [...path, 'servers'], report);
  notNegative(queue, [...path, 'queue'], report);
  if (replicas !== undefined) wholeAboveZero(replicas, [...path, 'replicas'], report);
  checkDistribution(latency, [...path, 'latency'], report);
  if (rateLimit) checkRateLimit(rateLimit, [...path, 'rateLimit'], report);
  if (tokenBucket) checkTokenBucket(tokenBucket, [...path, 'tokenBucket'], report);
}

function checkRateLimit({ limit, windowMs, retryAfterS }: RateLimit, path: Path, report: Report): void {
  positive(limit, [...path, 'limit'], report);
  positive(windowMs, [...path, 'windowMs'], report);
  checkRetryAfter(retryAfterS, path, report);
}

function checkTokenBucket({ ratePerSecond, burst, retryAfterS }: TokenBucket, path: Path, report: Report): void {
  positive(ratePerSecond, [...path, 'ratePerSecond'], report);
  if (!(burst >= 1)) report([...path, 'burst'], `${burst} is less than 1: no request would ever be accepted. Give at least 1.`);
  checkRetryAfter(retryAfterS, path, report);
}

function checkRetryAfter(retryAfterS: RetryAfter | undefined, path: Path, report: Report): void {
  if (retryAfterS !== 'none') notNegative(retryAfterS, [...path, 'retryAfterS'], report);
}

function checkTool({ service, alternatives = [], timeoutMs, latency }: WorldTool, world: World, path: Path, report: Report): void {
  checkKnown(service, world.services, 'service', [...path, 'service'], report);
  for (const [index, name] of alternatives.entries()) checkKnown(name, world.tools, 'tool', [...path, 'alternatives', index], report);
  if (timeoutMs !== Infinity) positive(timeoutMs, [...path, 'timeoutMs'], report);
  if (latency) checkDistribution(latency, [...path, 'latency'], report);
}

function checkDistribution(distribution: Distribution, path: Path, report: Report): void {
  switch (distribution.kind) {
    case 'constant':
      return notNegative(distribution.ms, [...path, 'ms'], report);
    case 'uniform':
      notNegative(distribution.minMs, [...path, 'minMs'], report);
      if (!(distribution.maxMs >= distribution.minMs)) report([...path, 'maxMs'], `${distribution.maxMs} is less than minMs.`);
      return;
    case 'exponential':
      return positive(distribution.meanMs, [...path, 'meanMs'], report);
    case 'lognormal': {
      const { meanMs, p99Ms } = distribution;
      positive(meanMs, [...path, 'meanMs'], report);
      if (!(p99Ms >= meanMs && p99Ms <= 14 * meanMs)) report([...path, 'p99Ms'], `${p99Ms} is not between the mean and 14 times the mean.`);
      return;
    }
    case 'measured':
      if (distribution.valuesMs.length === 0) report([...path, 'valuesMs'], 'There are no measured values. Give at least one value.');
      for (const [index, value] of distribution.valuesMs.entries()) notNegative(value, [...path, 'valuesMs', index], report);
  }
}

function checkGroup(group: AgentGroup, { tools }: World, path: Path, report: Report): void {
  const { count, arrivals, turn, deadlineMs } = group;
  wholeAboveZero(count, [...path, 'count'], report);
  positive(deadlineMs, [...path, 'deadlineMs'], report);
  if (turn.length === 0) report([...path, 'turn'], 'The turn calls nothing. Give at least one call.');
  for (const [index, { toolName: tool }] of turn.entries()) checkKnown(tool, tools, 'tool', [...path, 'turn', index, 'toolName'], report);
  for (const { callId, message } of planProblems(group)) report([...path, 'turn'], `${message} (call '${callId}')`);
  const from: Path = [...path, 'arrivals'];
  if (arrivals.kind === 'closed') return checkThink(arrivals.think, [...from, 'think'], report);
  positive(arrivals.ratePerSecond, [...from, 'ratePerSecond'], report);
  if (arrivals.burst) checkBurst(arrivals.burst, arrivals.ratePerSecond, [...from, 'burst'], report);
}

/** If every call were refused at once, agents without think time would loop without simulated time passing. */
function checkThink(think: Distribution, path: Path, report: Report): void {
  checkDistribution(think, path, report);
  if (!('meanMs' in think) && meanOf(think) === 0) report(path, 'Agents have to think for some time. Give at least 1 ms.');
}

function checkBurst({ every, lasts, ratePerSecond }: Burst, average: number, path: Path, report: Report): void {
  positive(ratePerSecond, [...path, 'ratePerSecond'], report);
  checkDistribution(every, [...path, 'every'], report);
  checkDistribution(lasts, [...path, 'lasts'], report);
  if (!('meanMs' in every) && meanOf(every) === 0) report([...path, 'every'], 'Bursts cannot all begin at once. Give at least 1 ms.');
  else if (ratePerSecond * meanOf(lasts) > average * meanOf(every))
    report(path, `The bursts alone begin more than ${average} turns per second begin. Give shorter, rarer or lower bursts.`);
}

function planProblems(group: AgentGroup): readonly PlanProblem[] {
  const calls = planOf(group).calls.map(({ id, toolName, dependsOn }): PlannedCall => ({ callId: id, toolName, dependsOn }));
  const checked = checkPlan(calls);
  return checked.ok ? [] : checked.problems;
}

function checkFault(fault: WorldFault, { services, agents }: World, path: Path, report: Report): void {
  const { service, host } = fault;
  if (service !== undefined) checkKnown(service, services, 'service', [...path, 'service'], report);
  else if (host === undefined) report(path, 'The fault has no target. Name a service or a host.');
  else if (!Object.values(services).some((each) => each.host === host)) report([...path, 'host'], `No service is on host '${host}'.`);
  for (const name of ['fromMs', 'forMs'] as const) {
    const value = fault[name];
    if (typeof value === 'number') notNegative(value, [...path, name], report);
    else if (!(value[0] >= 0 && value[1] >= value[0])) report([...path, name], `${value.join(' to ')} is not a range of 0 or more.`);
  }
  notNegative(fault.recoverOverMs, [...path, 'recoverOverMs'], report);
  if (fault.recoverSteps !== undefined) wholeAboveZero(fault.recoverSteps, [...path, 'recoverSteps'], report, MOST_STEPS);
  positive(fault.coldCache?.factor, [...path, 'coldCache', 'factor'], report);
  positive(fault.coldCache?.requests, [...path, 'coldCache', 'requests'], report);
  checkKind(fault, path, report);
  if (fault.kind === 'permanent' && fault.group !== undefined && agents[fault.group] === undefined)
    report([...path, 'group'], `There is no group ${fault.group}. They are counted from 0.`);
  if (fault.kind === 'bad_replica') checkReplica(fault.replica, fault, services, [...path, 'replica'], report);
}

function checkReplica(replica: number, { service, host }: WorldFault, services: World['services'], path: Path, report: Report): void {
  const hit = Object.entries(services).filter(([name, each]) => name === service || (host !== undefined && each.host === host));
  const known = Number.isInteger(replica) && replica >= 0 && hit.every(([, { replicas = 1 }]) => replica < replicas);
  if (!known) report(path, `There is no replica ${replica}. They are counted from 0.`);
}

function checkAnswer({ answerMs, retryAfterS }: ErrorAnswer, path: Path, report: Report): void {
  notNegative(answerMs, [...path, 'answerMs'], report);
  checkRetryAfter(retryAfterS, path, report);
}

function checkKind(fault: WorldFault, path: Path, report: Report): void {
  switch (fault.kind) {
    case 'outage':
      return checkAnswer(fault, path, report);
    case 'random_failures':
      share(fault.share, [...path, 'share'], report);
      return checkAnswer(fault, path, report);
    case 'permanent':
      notNegative(fault.answerMs, [...path, 'answerMs'], report);
      return share(fault.share, [...path, 'share'], report);
    case 'lost_answers':
      return share(fault.share, [...path, 'share'], report);
    case 'brownout':
      return share(fault.capacity, [...path, 'capacity'], report);
    case 'slow':
      positive(fault.factor, [...path, 'factor'], report);
      if (fault.share !== undefined) share(fault.share, [...path, 'share'], report);
      return positive(fault.periodMs, [...path, 'periodMs'], report);
    case 'rate_limit':
      return checkRateLimit(fault, path, report);
    case 'token_bucket':
      return checkTokenBucket(fault, path, report);
    case 'flapping':
      // Without a duration, time would not advance.
      if (!(fault.downMs[0] > 0)) report([...path, 'downMs'], `${fault.downMs.join(' to ')} is not a range above 0.`);
      if (!(fault.upMs[0] > 0)) report([...path, 'upMs'], `${fault.upMs.join(' to ')} is not a range above 0.`);
      return checkAnswer(fault, path, report);
    default:
  }
}
