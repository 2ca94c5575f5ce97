/** `holdfast doctor`: checks the manifest, the environment and the servers, with advice. */
import { styleText } from 'node:util';
import { type Manifest, type Problem, loadManifest } from '@holdfast/manifest';
import type { Action } from '../action.ts';
import { type GlobalOptions, configPath, displayPath } from '../config.ts';
import { checkAddress, checkTokens } from '../doctor/address.ts';
import { checkAudit, checkStore } from '../doctor/files.ts';
import { diagnoseEngine } from '../doctor/engine.ts';
import { type Finding, type FindingStatus, runCheck } from '../doctor/finding.ts';
import { checkLock } from '../doctor/lock.ts';
import { checkModels } from '../doctor/models.ts';
import { diagnoseServers } from '../doctor/servers.ts';
import { checkApis, checkPrograms } from '../doctor/tools.ts';
import { exitCodes } from '../exit-codes.ts';
import { cleanLines, type Console } from '../terminal/console.ts';

interface DoctorOptions extends GlobalOptions {
  readonly output: 'auto' | 'json';
}

export const execute: Action<undefined, DoctorOptions> = async (_none, options, console) => {
  const findings: Finding[] = [];
  const printFindings = (found: readonly Finding[]): void => {
    findings.push(...found);
    for (const finding of found) printFinding(finding, options.output, console);
  };
  const manifest = await readManifest(options, printFindings);
  if (!manifest) return exitCodes.usage;
  printFindings(await runCheck('store', () => checkStore(options, manifest)));
  printFindings(await runCheck('engine', () => diagnoseEngine(manifest)));
  printFindings(await runCheck('audit', () => checkAudit(manifest)));
  printFindings(await runCheck('address', () => checkAddress(manifest)));
  printFindings(checkTokens(manifest));
  printFindings(await runCheck('tool', () => checkPrograms(manifest)));
  printFindings(await runCheck('api', () => checkApis(manifest)));
  const { findings: found, servers } = await diagnoseServers(manifest);
  printFindings(found);
  printFindings(await runCheck('lock', () => checkLock(manifest, servers)));
  printFindings(await runCheck('model', () => checkModels(manifest)));
  if (options.output !== 'json') console.out.writeLine(`\n${summarize(findings)}`);
  return findings.some(({ status }) => status === 'error') ? exitCodes.failed : exitCodes.ok;
};

async function readManifest(options: GlobalOptions, report: (found: readonly Finding[]) => void): Promise<Manifest | undefined> {
  const path = configPath(options);
  const { manifest, problems } = await loadManifest(path);
  report(problems.map((problem) => problemFinding(problem)));
  if (manifest && problems.every(({ severity }) => severity !== 'error')) {
    const { tools, mcpServers, openapi } = manifest;
    const counts = [
      formatCount(tools.length, 'tool'),
      formatCount(Object.keys(mcpServers).length, 'MCP server'),
      formatCount(Object.keys(openapi).length, 'API'),
    ];
    report([
      { check: 'manifest', status: 'ok', message: `${displayPath(path)}: ${counts.filter((count) => count !== '').join(', ') || 'empty'}` },
    ]);
  }
  return manifest;
}

const formatCount = (count: number, what: string): string => (count === 0 ? '' : `${count} ${what}${count === 1 ? '' : 's'}`);

function problemFinding({ severity, code, file, line, column, message, suggestion, allowed }: Problem): Finding {
  const advice = suggestion === undefined ? allowed : `Did you mean ${suggestion}?`;
  return {
    check: 'manifest',
    subject: `${displayPath(file)}:${line}:${column}`,
    // A run starts without the file, but the tool that needs it fails.
    status: code === 'missing_file' ? 'error' : severity,
    message,
    ...(advice === undefined ? {} : { advice }),
  };
}

const marks: Readonly<Record<FindingStatus, readonly [string, 'green' | 'yellow' | 'red']>> = {
  ok: ['ok     ', 'green'],
  warning: ['warning', 'yellow'],
  error: ['error  ', 'red'],
};

function printFinding(finding: Finding, output: DoctorOptions['output'], { out, terminalOf }: Console): void {
  if (output === 'json') return out.writeLine(JSON.stringify(finding));
  const { check, subject, status, message, advice, details } = finding;
  const [mark, tone] = marks[status];
  const label = terminalOf(out).color ? styleText(tone, mark, { validateStream: false }) : mark;
  const heading = subject === undefined ? check : `${check} ${subject}`;
  out.writeLine(`${label}  ${cleanLines(`${heading}: ${message}`)}`);
  if (status === 'ok') return;
  if (advice !== undefined) out.writeLine(`         ${cleanLines(advice)}`);
  const tail = details?.['stderr_tail'];
  if (typeof tail !== 'string') return;
  out.writeLine('         Last output (stderr):');
  for (const line of tail.trimEnd().split('\n').slice(-8)) out.writeLine(`           ${cleanLines(line)}`);
}

function summarize(findings: readonly Finding[]): string {
  const count = (status: FindingStatus): number => findings.filter((finding) => finding.status === status).length;
  const counts = [formatCount(count('error'), 'error'), formatCount(count('warning'), 'warning')].filter((part) => part !== '');
  return counts.length === 0 ? 'No problems found.' : `${counts.join(', ')}.`;
}
