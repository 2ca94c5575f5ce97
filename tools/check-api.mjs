/**
 * The public interface of every published package is in git as `api/<package>.api.md`.
 * Without `--update`, a difference is a failure; with it, the files are rewritten.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { CompilerState, Extractor, ExtractorConfig } from '@microsoft/api-extractor';
import { publishedPackages } from './packages/published.mjs';

const update = process.argv.includes('--update');
const reports = resolve('api');
const scratch = mkdtempSync(join(tmpdir(), 'holdfast-api-'));

/** One report per entry point: `.` gives `core`, `./testing` gives `core.testing`. */
const entriesOf = ({ folder, name, exports }) =>
  Object.entries(exports)
    .filter(([, target]) => typeof target === 'object')
    .map(([subpath, target]) => ({
      folder: resolve(folder),
      report: `${name.replace('@holdfast/', '')}${subpath.slice(1).replaceAll('/', '.')}`,
      types: resolve(folder, target.types),
    }));

/** Other packages are read as published, not from their sources. */
const withoutSources = (folder) => {
  const read = (path) => JSON.parse(readFileSync(path, 'utf8'));
  const { compilerOptions: base } = read(resolve('tsconfig.base.json'));
  const { types = base.types, lib = base.lib } = read(join(folder, 'tsconfig.json')).compilerOptions;
  return { compilerOptions: { ...base, types, lib, composite: false, customConditions: [] }, include: ['dist'] };
};

/** An entry point may refer to exports of the package's other ones; the reports of those before it are written first. */
const isFromOtherEntry = (report, text) => {
  const symbol = /^The symbol "(\w+)"/.exec(text)?.[1];
  const [name] = report.split('.');
  const others = readdirSync(reports).filter((file) => file.startsWith(`${name}.`) && file !== `${report}.api.md`);
  return others.some((file) => new RegExp(`^export \\w+ ${symbol}\\b`, 'm').test(readFileSync(join(reports, file), 'utf8')));
};

/** `@holdfast/core/internal` exports parts of the engine for the other packages; the types behind them are not public. */
const handsEngineThrough = (report) => report === 'core.internal';

const configOf = ({ folder, report, types }) =>
  ExtractorConfig.prepare({
    configObjectFullPath: join(folder, 'api-extractor.json'),
    packageJsonFullPath: join(folder, 'package.json'),
    configObject: {
      projectFolder: folder,
      mainEntryPointFilePath: types,
      compiler: { overrideTsconfig: withoutSources(folder) },
      apiReport: {
        enabled: true,
        reportFileName: `${report}.api.md`,
        reportFolder: reports,
        reportTempFolder: scratch,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        compilerMessageReporting: { default: { logLevel: 'error' } },
        extractorMessageReporting: {
          default: { logLevel: 'error' },
          'ae-missing-release-tag': { logLevel: 'none' },
          'ae-unresolved-link': { logLevel: 'none' },
          'ae-forgotten-export': { logLevel: 'error' },
          'ae-undocumented': { logLevel: 'none' },
        },
        tsdocMessageReporting: { default: { logLevel: 'none' } },
      },
    },
  });

const extract = ({ report }, config, compilerState) =>
  Extractor.invoke(config, {
    compilerState,
    localBuild: update,
    showVerboseMessages: false,
    messageCallback: (notice) => {
      notice.handled = true;
      // Some vendors ship sources as their types.
      if (notice.messageId === 'ae-wrong-input-file-type' && notice.sourceFilePath?.includes('/node_modules/')) notice.logLevel = 'none';
      if (notice.messageId === 'ae-forgotten-export' && (handsEngineThrough(report) || isFromOtherEntry(report, notice.text)))
        notice.logLevel = 'none';
      if (notice.logLevel === 'error' || notice.logLevel === 'warning') console.error(`${report}: ${notice.text}`);
    },
  });

/** The entry points of a package are read together; returns those whose report has changed. */
const changedOf = (entries) => {
  const configs = entries.map(configOf);
  const [config] = configs;
  if (config === undefined) return [];
  const state = CompilerState.create(config, { additionalEntryPoints: entries.map(({ types }) => types) });
  return entries.filter((entry, at) => {
    const { succeeded, apiReportChanged } = extract(entry, configs[at], state);
    return !succeeded || (apiReportChanged && !update);
  });
};

mkdirSync(reports, { recursive: true });
const packages = publishedPackages().map(entriesOf);
const missing = packages.flat().filter(({ types }) => !existsSync(types));
for (const { types } of missing) console.error(`Not built: ${types}. Run "npm run build" first.`);
const changed = missing.length > 0 ? [] : packages.flatMap(changedOf).map(({ report }) => report);
rmSync(scratch, { recursive: true });

if (changed.length > 0) {
  console.error(`Public interface differs or has errors: ${changed.join(', ')}. On purpose? "npm run fix:api".`);
}
if (changed.length > 0 || missing.length > 0) process.exit(1);
console.log(update ? 'Public interface written to api/.' : 'Public interface matches api/.');
