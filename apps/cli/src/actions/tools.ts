/** `holdfast tools`: the tools of the manifest and of its MCP servers, their settings and the state of their circuits. */
import type { Action } from '../action.ts';
import { existsSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { type AnyTool, type ToolExecutionService, type ToolHealth, type ToolSettings, memoryStore } from '@holdfast/core';
import { createGateway, type UpstreamStatus } from '@holdfast/gateway';
import type { Store } from '@holdfast/core/store';
import { type Manifest, type ToolEntry, loadTools } from '@holdfast/manifest';
import { type GlobalOptions, loadConfig } from '../config.ts';
import { downReason } from '../doctor/down-reason.ts';
import { exitCodes, UsageError } from '../exit-codes.ts';
import { createService } from '../session.ts';
import { openReadOnly, placeOf } from '../store.ts';
import type { Console } from '../terminal/console.ts';
import { programName } from '../terminal/program-name.ts';
import { renderTable } from '../terminal/table.ts';
import { type Cell, cell } from '../view/text/cell.ts';
import { formatDuration, formatLimit } from '../view/text/format.ts';

interface ToolsOptions extends GlobalOptions {
  readonly output: 'auto' | 'json';
}

interface ToolFacts {
  readonly tool: AnyTool;
  readonly kind: string;
  readonly settings: ToolSettings;
  readonly health: ToolHealth;
}

export const execute: Action<undefined, ToolsOptions> = async (_none, options, console) => {
  const manifest = await loadConfig(options, console);
  const facts = await toolFacts(manifest, options, console);
  if (options.output === 'json') for (const each of facts) console.out.writeLine(JSON.stringify(toolData(each)));
  else for (const line of renderTable(titles, facts.map(toolRow), console.surface())) console.out.writeLine(line);
  return exitCodes.ok;
};

async function toolFacts(manifest: Manifest, options: GlobalOptions, console: Console): Promise<readonly ToolFacts[]> {
  const store = await storeWithCircuits(manifest, options);
  const running =
    Object.keys(manifest.mcpServers).length > 0 ? await startServers(manifest, store, console) : await startTools(manifest, store);
  const kinds = new Map(manifest.tools.map((entry) => [entry.name, kindOf(entry)]));
  const { service } = running;
  const facts = service.tools.flatMap((tool) => {
    const settings = service.getToolSettings(tool.name);
    const health = service.getToolHealth(tool.name);
    const kind = kinds.get(tool.name) ?? (tool.run.kind === 'mcp' ? 'mcp' : 'openapi');
    return settings && health ? [{ tool, kind, settings, health }] : [];
  });
  await running.close();
  return facts;
}

interface Running {
  readonly service: Pick<ToolExecutionService, 'tools' | 'getToolSettings' | 'getToolHealth'>;
  readonly close: () => Promise<void>;
}

async function startTools(manifest: Manifest, store: Store | undefined): Promise<Running> {
  const built = await loadTools(manifest);
  const service = createService(manifest, built.tools, { store });
  await service.restore();
  return { service, close: () => built.close() };
}

/** What a server offers is known once it runs. Nothing is written, except for logins that are refreshed: neither history nor lock. */
async function startServers(manifest: Manifest, store: Store | undefined, { warn }: Console): Promise<Running> {
  const { gateway: settings, store: _store, ...rest } = manifest;
  const quiet: Manifest = { ...rest, store: false, gateway: { ...settings, audit: false } };
  const gateway = await createGateway(quiet, {
    log: 'off',
    credentialsOf: manifest,
    recordTools: false,
    ...(store ? { store } : {}),
  }).catch(asUsageError);
  const startMs = Math.max(...Object.values(manifest.mcpServers).map(({ startupTimeoutMs }) => startupTimeoutMs ?? defaultStartMs));
  const deadline = performance.now() + startMs;
  const isStarting = (): boolean =>
    gateway.upstreams().some(({ state, loginRequired }) => loginRequired === undefined && (state === 'connecting' || state === 'idle'));
  while (isStarting() && performance.now() < deadline) await setTimeout(50);
  await gateway.ready();
  const statuses = gateway.upstreams();
  for (const status of statuses) for (const problem of problemsOf(status)) warn(problem);
  if (statuses.some(isMissing)) warn(`what to do: ${programName()} doctor`);
  return { service: gateway.service, close: () => gateway.close(0) };
}

/** A lock file that cannot be read is for the user to fix. */
function asUsageError(error: unknown): never {
  if (error instanceof Error && 'code' in error && error.code === 'LOCK_FILE_BROKEN') throw new UsageError(error.message);
  throw error;
}

/** Why tools of a server are missing. */
function problemsOf({ name, isExposed, state, lastError, loginRequired, withheldTools = {} }: UpstreamStatus): readonly string[] {
  const withheld = Object.values(withheldTools);
  if (!isExposed || state === 'up') return withheld;
  if (loginRequired !== undefined) return [...withheld, `server '${name}' waits for a login: ${loginRequired}`];
  return [...withheld, `server '${name}' is ${lastError === undefined ? state : `down: ${downReason(name, lastError)}`}`];
}

const isMissing = ({ isExposed, state }: UpstreamStatus): boolean => isExposed && state !== 'up';

const defaultStartMs = 30_000;

/** A store with the saved circuits only: listing tools must not write to the real one. */
async function storeWithCircuits(manifest: Manifest, options: GlobalOptions): Promise<Store | undefined> {
  const place = placeOf(options, manifest);
  if (place === undefined || ('file' in place && !existsSync(place.file.path))) return undefined;
  const history = await openReadOnly(place);
  const circuits = await history.loadCircuits();
  await history.close();
  return { ...memoryStore(), loadCircuits: () => Promise.resolve(circuits) };
}

const titles = ['tool', 'runs as', 'circuit', 'attempts', 'timeout', 'alternatives', 'effect'] as const;

const kindOf = ({ run }: ToolEntry): string => ['http', 'command', 'worker', 'mcp'].find((kind) => kind in run) ?? 'module';

function toolRow({ tool, kind, settings, health }: ToolFacts): readonly Cell[] {
  const { retry, timeoutMs, effect, assumedEffect, alternatives, fallback } = settings;
  return [
    cell(tool.name, tool.enabled ? 'strong' : 'dim'),
    cell(tool.enabled ? kind : 'disabled'),
    circuitCell(settings, health),
    cell(retry.maxAttempts),
    cell(formatLimit(timeoutMs)),
    cell([...alternatives, ...(fallback ? ['a fallback value'] : [])].join(', ')),
    cell(effect ?? (assumedEffect === undefined ? '' : `undeclared, as ${assumedEffect}`), 'dim'),
  ];
}

function circuitCell({ breaker }: ToolSettings, { circuit, failureCount, retryAfterMs, heldMs }: ToolHealth): Cell {
  if (circuit === 'open') return cell(retryAfterMs === undefined ? 'open' : `open, probe in ${formatDuration(retryAfterMs)}`, 'bad');
  if (circuit === 'half_open') return cell('half open', 'warn');
  if (heldMs !== undefined) return cell(`held for ${formatDuration(heldMs)}`, 'warn');
  if (breaker === false) return cell('none', 'dim');
  return failureCount > 0 ? cell(`closed, ${failureCount}/${breaker.failureThreshold} failed`, 'warn') : cell('closed', 'good');
}

function toolData({ tool, kind, settings, health }: ToolFacts): unknown {
  const { circuit, failureCount, retryAfterMs, heldMs } = health;
  return {
    tool_id: tool.name,
    runs_as: kind,
    enabled: tool.enabled,
    circuit_breaker_state: settings.breaker === false ? null : circuit,
    failure_count: failureCount,
    retry_after_ms: retryAfterMs,
    held_ms: heldMs,
    timeout_ms: settings.timeoutMs,
    max_attempts: settings.retry.maxAttempts,
    effect: settings.effect,
    assumed_effect: settings.assumedEffect,
    alternatives: settings.alternatives,
  };
}
