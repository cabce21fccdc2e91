/** What a data set of sparse examples is like, without loading it. */
export interface SparseDataSpec {
  readonly name: string;
  readonly title: string;
  /** How many features of an example are other than zero, at most; null: the experiment says. */
  readonly entriesPerExample: number | null;
  readonly minFeatures: number;
  /** Null: as many as the file gives. */
  readonly testCount: number | null;
  /** What a worker fetches once, in bytes, before it can train. */
  readonly downloadBytes: number;
}

/** Every data set of sparse examples there is, in the order the page lists them. */
export const sparseDataSpecs = {
  'criteo-fake': {
    name: 'criteo-fake',
    title: 'Generated click logs',
    entriesPerExample: 39,
    minFeatures: 65,
    testCount: 20_000,
    downloadBytes: 0,
  },
  // Only the host has the file: workers get the examples of their leases from it.
  file: {
    name: 'file',
    title: 'A file of sparse examples',
    entriesPerExample: null,
    minFeatures: 2,
    testCount: null,
    downloadBytes: 0,
  },
} as const satisfies Record<string, SparseDataSpec>;
