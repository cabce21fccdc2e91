import { bounds } from '../../../observe/verdict.ts';
import { adviceWords } from '../../../observe/verdict-advice.ts';
import { aside, type Block, type Part, plain, type Section } from '../block.ts';
import { counted, percents } from '../number-words.ts';
import { number, tableOf, words } from './columns.ts';
import { named } from './named-columns.ts';
import type { Setting, Subject } from './subject.ts';

/** What held each setting up: the sentence, the numbers, what to try; null if no run has a verdict. */
export function verdictSection({ settings }: Subject): Section | null {
  const judged = settings.filter(({ verdict }) => verdict !== null);
  if (judged.length === 0) return null;
  const table = tableOf<Setting>('verdicts', 'What each setting was bound by, and what each cause cost', judged, [
    named('Setting'),
    words('Bound by', ({ verdict }) => verdict?.verdict.bound ?? null),
    ...bounds.map((bound) =>
      number<Setting>(
        bound.charAt(0).toUpperCase() + bound.slice(1),
        percents,
        ({ verdict }) => verdict?.verdict.shares[bound] ?? null,
      ),
    ),
  ]);
  const note = aside(
    'A share is the part of the run’s time that would be saved if this alone cost nothing; shares need not add up to 100 %.',
  );
  return {
    id: 'verdicts',
    title: 'The bottleneck',
    blocks: [table, note, { kind: 'parts', parts: judged.map(verdictPart) }],
  };
}

function verdictPart({ name, verdict, reports }: Setting): Part {
  const { sentence, because, tryThis } = verdict?.verdict ?? { sentence: '', because: [], tryThis: [] };
  const others = [...new Set(reports.flatMap((report) => report.verdict?.bound ?? []))].filter(
    (bound) => bound !== verdict?.verdict.bound,
  );
  const disagreeing =
    others.length === 0
      ? []
      : [
          aside(
            `So say ${verdict?.agreeing} of ${counted(reports.length, 'run')}; others were bound by ${others.join(', ')}.`,
          ),
        ];
  const blocks: Block[] = [plain(sentence), ...disagreeing];
  if (because.length > 0) blocks.push({ kind: 'list', title: 'Because', items: because });
  if (tryThis.length > 0) blocks.push({ kind: 'list', title: 'Try', items: tryThis.map(adviceWords) });
  return { title: name, blocks };
}
