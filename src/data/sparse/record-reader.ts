import type { SparseBatchBuilder } from '../../core/sparse/batch.ts';
import { criteoTsvParser } from './formats/criteo-tsv.ts';
import type { ExampleParser } from './formats/example-parser.ts';
import { exampleProtoParser } from './formats/example-proto.ts';
import type { SparseFormat } from './formats/formats.ts';
import { libsvmParser } from './formats/libsvm.ts';
import { LineSplitter } from './formats/lines.ts';
import type { Malformed, Splitter } from './formats/splitter.ts';
import { TfRecordSplitter } from './formats/tfrecord.ts';

/** How a file is read: what its examples are depends on all of it. */
export interface ExampleSettings {
  readonly format: SparseFormat;
  readonly features: number;
  /** Of libsvm; 1 if left out. */
  readonly firstIndex?: 0 | 1;
  /** How many malformed lines or records are skipped. */
  readonly malformedLimit?: number;
}

/** The records of some bytes, one after another. */
export class RecordReader {
  readonly splitter: Splitter;
  readonly #parse: ExampleParser;

  constructor(settings: ExampleSettings) {
    this.splitter = settings.format === 'tfrecord' ? new TfRecordSplitter() : new LineSplitter();
    this.#parse = parserFor(settings);
  }

  /** Appends the next example to the batch, or says what is in its place. */
  next(into: SparseBatchBuilder): 'example' | 'more' | Malformed {
    const { splitter } = this;
    for (;;) {
      const found = splitter.next();
      if (found !== 'record') return found;
      const result = this.#parse(splitter.bytes, splitter.start, splitter.end, into);
      if (result === 'example') return result;
      into.abandon();
      if (result !== 'blank') return result;
    }
  }
}

function parserFor({ format, features, firstIndex = 1 }: ExampleSettings): ExampleParser {
  switch (format) {
    case 'criteo-tsv':
      return criteoTsvParser(features);
    case 'libsvm':
      return libsvmParser(features, firstIndex);
    case 'tfrecord':
      return exampleProtoParser(features);
    default:
      return format satisfies never;
  }
}
