/** Checks the tools outside of MCP servers: programs exist, OpenAPI documents can be read. Runs none of them. */
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { loadOpenapi, type Manifest } from '@holdfast/manifest';
import { displayPath } from '../config.ts';
import type { Finding } from './finding.ts';

export async function checkPrograms({ tools, folder }: Manifest): Promise<readonly Finding[]> {
  const found = await Promise.all(
    tools.map(async ({ name, run, enabled }): Promise<readonly Finding[]> => {
      if (!('command' in run) || enabled === false || (await programExists(run.command.command, folder))) return [];
      const message = `program ${run.command.command} not found`;
      return [{ check: 'tool', subject: name, status: 'error', message, advice: 'Install it, or give its full path.' }];
    }),
  );
  return found.flat();
}

/** Resolves a path from the manifest's folder, and looks up a bare name in PATH. */
async function programExists(command: string, folder: string): Promise<boolean> {
  const extensions = process.platform === 'win32' ? ['', ...(process.env['PATHEXT'] ?? '').split(';')] : [''];
  const folders = /[/\\]/.test(command) ? [''] : (process.env['PATH'] ?? '').split(delimiter);
  const paths = folders.flatMap((place) =>
    extensions.map((extension) => (place === '' ? resolve(folder, command) : join(place, command)) + extension),
  );
  const runnable = await Promise.all(paths.map(isRunnable));
  return runnable.includes(true);
}

async function isRunnable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

export async function checkApis(manifest: Manifest): Promise<readonly Finding[]> {
  const loaded = await loadOpenapi(manifest);
  await loaded.close();
  const problems = loaded.problems.map(({ api, severity, message, suggestion }): Finding => {
    const advice = suggestion === undefined ? {} : { advice: `Did you mean ${suggestion}?` };
    return { check: 'api', subject: api, status: severity, message, ...advice };
  });
  const failed = new Set(problems.filter(({ status }) => status === 'error').map(({ subject }) => subject));
  const usable = Object.entries(manifest.openapi).filter(([name]) => !failed.has(name));
  const counts = usable.map(([name, { spec }]): Finding => {
    const count = loaded.tools.filter(({ api }) => api === name).length;
    return {
      check: 'api',
      subject: name,
      status: 'ok',
      message: `${count} operation${count === 1 ? '' : 's'} in ${displayPath(spec)}`,
      details: { tools: count },
    };
  });
  return [...problems, ...counts];
}
