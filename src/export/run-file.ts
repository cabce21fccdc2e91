/** One file of a run's folder; `path` is below the folder, with slashes, and safe on every file system. */
export interface RunFile {
  readonly path: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** A text as a file, in UTF-8. */
export const textFile = (path: string, text: string): RunFile => ({ path, bytes: new TextEncoder().encode(text) });
