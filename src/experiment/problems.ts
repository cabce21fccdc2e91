/** Something that cannot be as it was asked for: which setting (or place in a file), and what to do about it. */
export interface Problem<Key extends string = string> {
  readonly key: Key;
  /** Follows the key in a line, or begins a sentence of its own. */
  readonly text: string;
}

/** A request that has problems, where an answer was needed. Who can show them beside what they are about reads `problems`. */
export class ProblemsError extends RangeError {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems.map(problemLine).join('\n'));
    this.problems = problems;
  }
}

/** "batch must be …", "up: what top-k …", for a log or a list; the key is left out where it is empty. */
export const problemLine = ({ key, text }: Problem): string =>
  key === '' ? text : `${key}${/^(must|is|has) /.test(text) ? '' : ':'} ${text}`;

/** The text as a sentence of its own. */
export const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
