import { type Problem, ProblemsError, problemLine } from '../../experiment/problems.ts';
import { layOut } from '../../lab/layout.ts';
import { parseSweep, type Sweep } from '../../lab/sweep.ts';

/** A file as a sweep, or what is wrong with it, one line per mistake with its place in the file. */
export type SweepReading =
  | { readonly ok: true; readonly sweep: Sweep }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Reads a sweep somebody wrote. */
export function readSweepText(text: string): SweepReading {
  let input: unknown;
  try {
    input = JSON.parse(text);
  } catch (error) {
    return { ok: false, problems: [syntaxWords(text, (error as Error).message)] };
  }
  try {
    const sweep = parseSweep(input);
    layOut(sweep);
    return { ok: true, sweep };
  } catch (error) {
    if (!(error instanceof ProblemsError)) throw error;
    const offsets = offsetsOf(text);
    return { ok: false, problems: error.problems.map((problem) => withLine(text, offsets, problem)) };
  }
}

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length;

/** Engines tell the place of a slip as a line, as a position, or not at all. */
function syntaxWords(text: string, message: string): string {
  const line = /line (\d+)/.exec(message)?.[1];
  const position = /position (\d+)/.exec(message)?.[1];
  const place = line ?? (position === undefined ? null : lineAt(text, Number(position)));
  return `${place === null ? '' : `line ${place}: `}this is not JSON: ${message}`;
}

/** The key of a problem is its place in the data; the line in the file goes before it. */
function withLine(text: string, offsets: ReadonlyMap<string, number>, problem: Problem): string {
  const offset = offsets.get(problem.key);
  return offset === undefined ? problemLine(problem) : `line ${lineAt(text, offset)}, ${problemLine(problem)}`;
}

/** Where each value of a JSON text that is sound begins, by its place in the data: `vary.batch[2]`. */
function offsetsOf(text: string): Map<string, number> {
  const offsets = new Map<string, number>();
  const token = /\s*("(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+)/y;
  const next = (): string => token.exec(text)?.[1] ?? '';
  const value = (place: string): void => {
    const first = next();
    offsets.set(place, token.lastIndex - first.length);
    if (first === '{') {
      for (let key = next(); key !== '}' && key !== ''; key = next()) {
        if (key === ',') continue;
        next();
        value(`${place}${place === '' ? '' : '.'}${JSON.parse(key)}`);
      }
    }
    if (first !== '[') return;
    for (let index = 0, before = token.lastIndex; ; before = token.lastIndex) {
      const item = next();
      if (item === ']' || item === '') return;
      if (item === ',') continue;
      token.lastIndex = before;
      value(`${place}[${index}]`);
      index += 1;
    }
  };
  value('');
  return offsets;
}
