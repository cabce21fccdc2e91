export const sparseFormats = ['criteo-tsv', 'libsvm', 'tfrecord'] as const;
export type SparseFormat = (typeof sparseFormats)[number];

/** The format that a file's name tells, with or without .gz; undefined if it tells none. */
export function formatOfName(name: string): SparseFormat | undefined {
  const plain = name.toLowerCase().replace(/\.gz$/, '');
  if (/\.(tsv|txt)$/.test(plain)) return 'criteo-tsv';
  if (/\.(libsvm|svm|svmlight)$/.test(plain)) return 'libsvm';
  return /\.tfrecords?(-\d+-of-\d+)?$/.test(plain) ? 'tfrecord' : undefined;
}

/** How many malformed lines or records are skipped unless the user says otherwise. */
export const DEFAULT_MALFORMED_LIMIT = 100;
