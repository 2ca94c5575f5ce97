/** The workspaces that are published, from their package.json files. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

const parents = ['packages', 'packages/stores', 'packages/adapters', 'apps'];

/** The name of a package as npm writes it into the name of a tarball. */
export const fileNameOf = (name) => name.replace('@', '').replace('/', '-');

export const publishedPackages = () =>
  parents
    .filter((parent) => existsSync(parent))
    .flatMap((parent) => readdirSync(parent).map((name) => `${parent}/${name}`))
    .filter((folder) => existsSync(`${folder}/package.json`))
    .map((folder) => ({ folder, ...JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) }))
    .filter((description) => description.private !== true);
