/** Owns what a run tells the test runner's process, as a file. */
import type { Replacement } from './framework.ts';

export interface Plan {
  /** The folder of the package under test. */
  readonly root: string;
  /** Test files, relative to `root`. */
  readonly files: readonly string[];
  /** The checkout's own configuration, and its project. */
  readonly config?: string | undefined;
  readonly project?: string | undefined;
  /** Where results are written, one JSON value a line. */
  readonly events: string;
  readonly testTimeoutMs: number;
  /** Sources by the names that they are imported by, as regular expressions. */
  readonly sources: Readonly<Record<string, string>>;
  /** Installed packages that load such sources, as regular expressions. */
  readonly inline: readonly string[];
  /** The way, bundled, if tools are wrapped. */
  readonly way?: string | undefined;
  readonly replaces: readonly Replacement[];
  readonly importers: string;
}

/** What the test runner reports. */
export type RunEvent =
  | { readonly kind: 'start' | 'end'; readonly file: string; readonly error?: string | undefined }
  | { readonly kind: 'test'; readonly file: string; readonly test: string; readonly state: string; readonly error?: string | undefined }
  | { readonly kind: 'escaped'; readonly error: string }
  | { readonly kind: 'replaced'; readonly module: string };

/** Environment variable with the path of the plan. */
export const planVariable = 'HOLDFAST_FRAMEWORK_PLAN';
