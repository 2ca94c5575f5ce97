/**
 * What a registry shows of every published package. Addresses, author and licence come from the package.json and LICENSE of the repository; keywords and README
 * belong to the package. `node tools/packages/metadata.mjs --write` fills in what comes from the repository.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { publishedPackages } from './published.mjs';

/** The fields of a package.json in the order in which they are written; those left out follow in their own order. */
const order = ['name', 'version', 'private', 'description', 'keywords', 'homepage', 'bugs', 'license', 'author', 'repository'];

const root = JSON.parse(readFileSync('package.json', 'utf8'));
const license = readFileSync('LICENSE', 'utf8');

const fromRepository = (folder) => ({
  homepage: `${root.homepage}/tree/main/${folder}#readme`,
  bugs: root.bugs,
  license: root.license,
  author: root.author,
  repository: { ...root.repository, directory: folder },
});

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

function problemsOfReadme(folder) {
  const path = `${folder}/README.md`;
  if (!existsSync(path)) return ['README.md is missing'];
  const text = readFileSync(path, 'utf8');
  const relative = [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)\s]+)/gu)].map(
    ([, target]) => `README.md links to ${target}, which is not on the page of a registry`,
  );
  return [...relative, ...(/^ {4}npm install /mu.test(text) ? [] : ['README.md does not say what to install'])];
}

/** What is missing from a package's page on a registry. */
export function metadataProblems(description) {
  const { folder, keywords } = description;
  const fields = Object.entries(fromRepository(folder))
    .filter(([key, value]) => !same(description[key], value))
    .map(([key]) => `package.json: ${key} differs from the repository's. Run: node tools/packages/metadata.mjs --write`);
  const licensed = existsSync(`${folder}/LICENSE`) && readFileSync(`${folder}/LICENSE`, 'utf8') === license;
  return [
    ...fields,
    ...(Array.isArray(keywords) && keywords.length > 2 ? [] : ['package.json: keywords are missing']),
    ...(licensed ? [] : ['LICENSE is missing, or differs from that of the repository']),
    ...problemsOfReadme(folder),
  ];
}

function write(folder) {
  const path = `${folder}/package.json`;
  const fields = { ...JSON.parse(readFileSync(path, 'utf8')), ...fromRepository(folder) };
  const keys = [...order.filter((key) => key in fields), ...Object.keys(fields).filter((key) => !order.includes(key))];
  writeFileSync(path, `${JSON.stringify(Object.fromEntries(keys.map((key) => [key, fields[key]])), undefined, 2)}\n`);
  writeFileSync(`${folder}/LICENSE`, license);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  if (process.argv.includes('--write')) for (const { folder } of publishedPackages()) write(folder);
  const problems = publishedPackages().flatMap((each) => metadataProblems(each).map((problem) => `${each.folder}: ${problem}`));
  console.log(problems.length === 0 ? 'Every package has its metadata.' : problems.join('\n'));
  process.exitCode = problems.length === 0 ? 0 : 1;
}
