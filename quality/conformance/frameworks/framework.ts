/** Owns how a framework is described: where its tool tests are, how they are started, and where its tools are wrapped. */

/** Exports that are replaced where a test imports them. */
export interface Replacement {
  /** A source file, relative to the framework's folder. */
  readonly module: string;
  /** Its exports. The way has a function of the same name, which takes the original and returns its replacement. */
  readonly names: readonly string[];
}

/** One way of wrapping the tools of a framework. */
export interface Way {
  readonly name: string;
  /** What is wrapped, for the page. */
  readonly title: string;
  /** File in `ways`. Its imports of the framework are those of the checkout. */
  readonly code: string;
  /** Exports that tests get from the way. Absent: the way changes the framework when it is loaded, before the tests. */
  readonly replaces?: readonly Replacement[];
  /** Wraps nothing of Holdfast's: tests that differ here as well differ for any program that uses this extension point. */
  readonly isControl?: boolean;
}

export interface Framework {
  readonly name: string;
  readonly title: string;
  readonly adapter: string;
  /** The repository, for the page. */
  readonly repository: string;
  /** The folder of the package under test in the checkout. */
  readonly folder: string;
  /** The `package.json` whose version is reported. @default that of `folder` */
  readonly manifest?: string;
  readonly runner: 'vitest' | 'jest';
  /** Configuration of the tests in `folder`, or in the checkout if it starts with `/`, and its project. */
  readonly config?: string;
  readonly project?: string;
  /** Globs of the tool tests, relative to `folder`; those that start with `!` exclude. */
  readonly tests: readonly string[];
  /** Which files import what is replaced. @default `\.test\.tsx?$` */
  readonly importers?: string;
  /** Sources of the checkout by the names that they are imported by. Each key is a regular expression for the whole name. */
  readonly sources?: Readonly<Record<string, string>>;
  /** Packages of the checkout whose `exports` lead to sources under a condition. */
  readonly workspaces?: { readonly folders: readonly string[]; readonly condition: string };
  /** Environment of the tests. */
  readonly env?: Readonly<Record<string, string>>;
  /** Packages of the framework that ways import. */
  readonly packages: readonly string[];
  readonly ways: readonly Way[];
}
