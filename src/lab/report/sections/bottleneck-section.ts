import { adviceWords } from '../../../observe/bottleneck/advice.ts';
import { bounds } from '../../../observe/bottleneck/shares.ts';
import { counted } from '../../../observe/format.ts';
import { aside, type Block, type Part, plain, type Section } from '../block.ts';
import { percents } from '../number-words.ts';
import { capital, named, number, tableOf, words } from './columns.ts';
import type { Setting, Subject } from './subject.ts';

/** What each setting was bound by: the sentence, the numbers, what to try; null if of no run it is known. */
export function bottleneckSection({ settings }: Subject): Section | null {
  const known = settings.filter(({ bottleneck }) => bottleneck !== null);
  if (known.length === 0) return null;
  const table = tableOf<Setting>('bottlenecks', 'What each setting was bound by, and what each cause cost', known, [
    named('Setting'),
    words('Bound by', ({ bottleneck }) => bottleneck?.bound ?? null),
    ...bounds.map((bound) =>
      number<Setting>(capital(bound), percents, ({ bottleneck }) => bottleneck?.shares[bound] ?? null),
    ),
  ]);
  const note = aside(
    'A share is the part of the run’s time that would be saved if this alone cost nothing; shares need not add up to 100 %.',
  );
  const parts = known.map(bottleneckPart);
  return { id: 'bottlenecks', title: 'The bottleneck', blocks: [table, note, { kind: 'parts', parts }] };
}

function bottleneckPart({ name, bottleneck, reports }: Setting): Part {
  const { bound, sentence, because, tryThis, agreeing } = bottleneck as NonNullable<typeof bottleneck>;
  const others = new Set(reports.flatMap((report) => report.bottleneck?.bound ?? []));
  others.delete(bound);
  const disagreeing = `So say ${agreeing} of ${counted(reports.length, 'run')}; others were bound by ${[...others].join(', ')}.`;
  const blocks: Block[] = [plain(sentence), ...(others.size === 0 ? [] : [aside(disagreeing)])];
  if (because.length > 0) blocks.push({ kind: 'list', title: 'Because', items: because });
  if (tryThis.length > 0) blocks.push({ kind: 'list', title: 'Try', items: tryThis.map(adviceWords) });
  return { title: name, blocks };
}
